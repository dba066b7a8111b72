// SPDX-License-Identifier: MIT
// Smooths a signal again and again in the lanes of a GPU. The signal goes there once, and comes back at the end.
#include <cyclotron/cyclotron.hpp>

#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

using namespace cyclotron;

Program smoothing() {
  Index i("i");
  Size n("n");
  Tensor x("x", {n}), y("y", {n});

  Program p("smooth");
  p.assume(2 <= n);
  p += y(i) = (x(i - 1) + 2 * x(i) + x(i + 1)) / 4, where(1 <= i, i < n - 1);
  p += y(0) = x(0);
  p += y(n - 1) = x(n - 1);
  return p;
}

int main() try {
  std::vector<double> signal(1000);
  signal[500] = 1;

  // On the CPU, in the lanes of its vector registers.
  Options options;
  options.target = "simd";
  std::vector<double> once(signal.size());
  smoothing().compile(options).run({{"x", signal}}, {{"y", once}});
  std::printf("once: %g %g %g\n", once[499], once[500], once[501]);

  options.target = "cuda";
  options.emulate = true; // without it: on a GPU
  const Kernel kernel = smoothing().compile(options);
  const Device device = kernel.device();
  DeviceTensor x = device.upload(signal), y = device.zeros(x.dims());
  for (int round = 0; round < 10; ++round) {
    kernel.run({{"x", x}}, {{"y", y}}); // nothing is copied
    std::swap(x, y);
  }
  const std::vector<double> smooth = x.values<double>();
  std::printf("ten times: %g %g %g\n", smooth[499], smooth[500], smooth[501]);

  // An array of your own in the memory of the GPU; here it is a part of ours.
  double* middle = x.pointer<double>() + 490;
  std::vector<double> part(21);
  kernel.run({{"x", device_view(middle, {21})}}, {{"y", part}});
  std::printf("once more: %g %g %g\n", part[9], part[10], part[11]);
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
