# What `cmake --install` puts where: the library with its headers, the command line, CMake and pkg-config files.
# Everything is found relative to where these files are, so the whole may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One library of all our folders, so that users link one thing: those that `target` needs, and itself.
function(collect_folders target list)
  set(found ${${list}})
  if(target MATCHES "^cyclotron_" AND TARGET ${target} AND NOT target IN_LIST found)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND found ${target})
      get_target_property(needed ${target} LINK_LIBRARIES)
      foreach(library ${needed})
        collect_folders(${library} found)
      endforeach()
    endif()
  endif()
  set(${list} ${found} PARENT_SCOPE)
endfunction()
collect_folders(cyclotron_api folders)
list(TRANSFORM folders REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)

add_library(cyclotron_library ${objects}) # static, or shared with -DBUILD_SHARED_LIBS=ON
add_library(Cyclotron::cyclotron ALIAS cyclotron_library)
set_target_properties(cyclotron_library PROPERTIES
  OUTPUT_NAME cyclotron EXPORT_NAME cyclotron LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0)
target_compile_features(cyclotron_library INTERFACE cxx_std_20)
target_include_directories(cyclotron_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
include(CheckCXXSymbolExists)
check_cxx_symbol_exists(dlopen dlfcn.h CYCLOTRON_DLOPEN_IN_C_LIBRARY) # as in newer C libraries: then there is no more to link
set(dl_library ${CMAKE_DL_LIBS})
if(CYCLOTRON_DLOPEN_IN_C_LIBRARY)
  set(dl_library "")
endif()
target_link_libraries(cyclotron_library PRIVATE
  fmt::fmt ZLIB::ZLIB ${dl_library} $<BUILD_INTERFACE:isl> $<INSTALL_INTERFACE:Cyclotron::isl>)
if(CYCLOTRON_SANITIZE)
  target_link_options(cyclotron_library PUBLIC -fsanitize=address,undefined) # or nothing links against it
  set(sanitizer_flags " -fsanitize=address,undefined")
endif()

install(TARGETS cyclotron_library EXPORT CyclotronTargets)
install(DIRECTORY include/cyclotron DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Cyclotron)
install(EXPORT CyclotronTargets NAMESPACE Cyclotron:: DESTINATION ${config_folder})
configure_package_config_file(cmake/CyclotronConfig.cmake.in CyclotronConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(CyclotronConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CyclotronConfig.cmake ${PROJECT_BINARY_DIR}/CyclotronConfigVersion.cmake
  DESTINATION ${config_folder})

# What links with a static library also links what that calls; a shared one brings it along. isl is named by itself
# and not by isl.pc, which adds what only a static isl would need.
set(private_packages "")
set(private_libraries "")
if(NOT BUILD_SHARED_LIBS)
  set(private_packages "fmt, zlib")
  set(private_libraries "-lisl")
  get_filename_component(isl_folder ${ISL_LIBRARY} DIRECTORY)
  if(NOT isl_folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    set(private_libraries "-L${isl_folder} -lisl")
  endif()
  if(dl_library)
    string(APPEND private_libraries " -l${dl_library}")
  endif()
endif()
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
configure_file(cmake/cyclotron.pc.in cyclotron.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cyclotron.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
