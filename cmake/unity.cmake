# Several files at a time make one that is compiled: what they share is read, instantiated and translated once, which
# takes 40 % off a clean build. By hand: -DCYCLOTRON_UNITY=OFF where one file is edited and compiled over and over, and
# to see which includes are missing.
#
# Left out are folders of coroutines, whose frames may hold nothing of a file that is included, small ones, and those
# whose files use the same short names for their own things.
option(CYCLOTRON_UNITY "Compile several files of a folder at a time" ON)

if(CYCLOTRON_UNITY)
  foreach(folder api backend_c backend_cuda backend_sam_report backend_simd code dataflow driver explore frontend lanes loops
      lower_dataflow lower_lanes lower_loops lower_pattern lower_pe lower_stream lower_tiles mpi_data pattern pe polyhedra recurrence report schedule stream study
      syntax tensor)
    if(TARGET cyclotron_${folder})
      set_target_properties(cyclotron_${folder} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    endif()
  endforeach()
endif()
