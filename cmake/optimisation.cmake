# An optimised build spends two thirds of its time on code that then runs for a millisecond: reading a program, checking
# it, lowering it, printing what came out. Such folders are optimised for quick compilation. What works on
# every element of the data keeps the full optimisation: the engine, the simulators, tensors, the interpreter and the
# structure of sparse results (recurrence), programs of processing elements (pe), clusters (mpi).
set(cold_folders api backend_array_report backend_c backend_cuda backend_rda backend_sam_report backend_simd code dataflow driver explore frontend lanes
  lanes_report loops lower lower_code lower_dataflow lower_lanes lower_loops lower_pattern lower_pe lower_stream lower_tiles pattern report schedule stream study
  syntax)
foreach(folder ${cold_folders})
  target_compile_options(cyclotron_${folder} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
