# Copies a program and those of its libraries that a machine with MPI and BLAS may lack into a folder:
# cmake -D program=FILE -D folder=FOLDER -P carry.cmake
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} RESOLVED_DEPENDENCIES_VAR libraries)
file(MAKE_DIRECTORY ${folder})
file(COPY ${program} DESTINATION ${folder})
foreach(library ${libraries})
  get_filename_component(name ${library} NAME) # by which it is loaded
  if(name MATCHES "^lib(cyclotron|scalapack|fmt|isl|gmp)")
    file(REAL_PATH ${library} real)
    file(COPY_FILE ${real} ${folder}/${name})
  endif()
endforeach()
