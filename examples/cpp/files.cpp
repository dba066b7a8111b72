// SPDX-License-Identifier: MIT
// A matrix from a file, its Cholesky factor to another file.
#include <cyclotron/cyclotron.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

using namespace cyclotron;

int main() try {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "cyclotron_files_example";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "A.mtx") << "%%MatrixMarket matrix coordinate real symmetric\n"
                                     "3 3 5\n1 1 2\n2 1 -1\n2 2 4\n3 2 -1\n3 3 3\n";

  const Output A = read(folder / "A.mtx", csr); // symmetric files are read with both halves
  std::printf("A is %d x %d %s and stores %d values\n", int(A.dims()[0]), int(A.dims()[1]), A.format().c_str(),
              int(A.stored()));

  const Kernel kernel = Program::from_text("tensor A(n, n): csr\n"
                                           "tensor L(n, n): csr\n"
                                           "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i\n"
                                           "L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k))) : k < i\n")
                            .compile();
  const Result r = kernel({{"A", A.view()}});
  write(folder / "L.mtx", r["L"]);

  const Output L = read(folder / "L.mtx", csr);
  std::printf("L stores %d values, and its last one is %.6f\n", int(L.stored()), L.at(2, 2));
  std::filesystem::remove_all(folder);
  try {
    read("nowhere.mtx");
  } catch (const Error& error) {
    std::printf("error: %s\n", error.message().c_str());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s", error.what());
  return 1;
}
