# Headers that nearly every file reads are read once: with isl for the folders that use it, without for the others.
# Nothing may depend on this: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON and -DCYCLOTRON_ONLY_MPI=ON build without it.
#
# g++ 13 and later only take what was compiled with the same optimisation. So folders share with others that are
# optimised as they are (optimisation.cmake), and with one on which none of them depends the other way round.
set(read_by_all <algorithm> <functional> <map> <optional> <set> <string> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

target_precompile_headers(cyclotron_support PRIVATE ${read_by_all})
foreach(folder backend_array backend_sam engine pe polyhedra recurrence)
  target_precompile_headers(cyclotron_${folder} REUSE_FROM cyclotron_support)
endforeach()

target_precompile_headers(cyclotron_report PRIVATE ${read_by_all})
foreach(folder backend_array_report backend_rda backend_sam_report code pattern schedule stream syntax)
  target_precompile_headers(cyclotron_${folder} REUSE_FROM cyclotron_report)
endforeach()

target_precompile_headers(cyclotron_frontend PRIVATE ${read_by_all} <isl/cpp.h>)
foreach(folder api backend_c backend_cuda backend_simd dataflow driver explore lanes lanes_report loops lower lower_code lower_dataflow lower_lanes
  lower_loops lower_pattern lower_pe lower_stream lower_tiles study)
  target_precompile_headers(cyclotron_${folder} REUSE_FROM cyclotron_frontend)
endforeach()
