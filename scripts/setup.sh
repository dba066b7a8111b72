#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The set-up ./run and ./test share: installs missing packages, then builds. Silent when there is nothing to do.
#
#   scripts/setup.sh run     for ./run:  the `release` preset
#   scripts/setup.sh run-mpi the same with MPI and BLAS, for ./run … --target=mpi
#   scripts/setup.sh test    for ./test: the `dev` preset, and what the tests need
#   scripts/setup.sh benchmarks    for benchmarks/run: the `benchmarks` preset, and the libraries to compare with
#
# Logs: build/setup.log (packages), build/<preset>.log (cmake and ninja).
set -euo pipefail

build_packages=(g++ cmake ninja-build libisl-dev libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev)
benchmark_packages=(libsuitesparse-dev libgraphblas-dev libboost-graph-dev libparasail-dev libeigen3-dev)
mpi_packages=(libopenmpi-dev openmpi-bin libopenblas-dev libscalapack-openmpi-dev)
test_packages=(libgtest-dev librapidcheck-dev make pkg-config python3 python3-numpy python3-scipy)

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
case "${1-}" in
  run) preset=release packages=("${build_packages[@]}") ;;
  run-mpi) preset=release packages=("${build_packages[@]}" "${mpi_packages[@]}") ;;
  test) preset=dev packages=("${build_packages[@]}" "${mpi_packages[@]}" "${test_packages[@]}") ;;
  benchmarks) preset=benchmarks packages=("${build_packages[@]}" "${mpi_packages[@]}" "${benchmark_packages[@]}") ;;
  *) echo "usage: scripts/setup.sh run|run-mpi|test|benchmarks" >&2; exit 2 ;;
esac
tree=$root/build/$preset
log=$root/build/$preset.log

# shellcheck source-path=SCRIPTDIR
source "$root/scripts/progress.sh"
trap erase_line EXIT

say() { erase_line; echo "cyclotron: $*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# Debian and Ubuntu: the packages that are not installed, one per line.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
  for package in "${packages[@]}"; do
    [[ $'\n'$installed$'\n' == *$'\n'"$package installed"$'\n'* ]] || echo "$package"
  done
}

# Elsewhere: the programs that are not there. CMake reports libraries that are missing.
missing_programs() {
  local program
  for program in cmake ninja "${CXX:-c++}"; do
    have "$program" || echo "$program"
  done
  [[ $preset != dev ]] || /usr/bin/python3 -c 'import numpy, scipy' 2>/dev/null || echo "python3 with numpy and scipy"
}

cannot_install() {
  say "$1"
  say "missing: ${missing[*]}"
  say "install them with: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  exit 1
}

install_packages() {
  local apt=(env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  if [[ $(id -u) -ne 0 ]]; then
    have sudo || cannot_install "some packages are missing, and installing them needs root"
    sudo -n true 2>/dev/null || { [[ -t 2 ]] && sudo -v; } ||
      cannot_install "some packages are missing, and sudo does not let us install them"
    apt=(sudo "${apt[@]}")
  fi
  local title="installing ${#missing[@]} packages"
  start_progress "$title …"
  # A failing update (one stale source of many) need not matter: the install decides.
  { "${apt[@]}" update || true
    "${apt[@]}" install --no-install-recommends "${missing[@]}"
  } |& tee "$root/build/setup.log" | follow_progress apt "$title" || {
    tail -n 15 "$root/build/setup.log" >&2
    cannot_install "apt-get failed (its full output is in build/setup.log)"
  }
}

check_packages() {
  local missing
  if have dpkg-query && have apt-get; then
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} -eq 0 ]] || install_packages
  else
    mapfile -t missing < <(missing_programs)
    [[ ${#missing[@]} -eq 0 ]] && return
    say "missing: $(printf '%s, ' "${missing[@]}" | sed 's/, $//')"
    say "install them and the equivalents of these Debian packages: ${packages[*]}"
    exit 1
  fi
}

configured_here() { # also false after the checkout was moved, the presets changed, or ccache was removed
  local place ccache
  [[ -f $tree/.configured && ! $root/CMakePresets.json -nt $tree/.configured ]] || return 1
  { read -r place && read -r ccache; } <"$tree/.configured" || return 1
  [[ $place == "$root" && (-z $ccache || -x $ccache) ]]
}

up_to_date() { configured_here && [[ $(ninja -C "$tree" -n 2>&1) == *"no work to do"* ]]; }

build_failed() {
  local line
  erase_line
  line=$(grep -n -m1 -E '^(FAILED:|CMake Error)' "$log" | cut -d: -f1) || true
  tail -n "+${line:-1}" "$log" | grep -v '^\[[0-9/]*\] ' | cut -c -400 | head -n 60 >&2 || true
  say "$1 (full log: build/$preset.log)"
  exit 1
}

configure() {
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt" || rm -rf "$tree"
  (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || { rm -rf "$tree"; build_failed "cmake failed"; }
  printf '%s\n' "$root" "$(command -v ccache || true)" >"$tree/.configured"
}

build() {
  if [[ -d $tree ]]; then start_progress "building …"; else start_progress "building (first time, a few minutes) …"; fi
  configured_here || configure
  NINJA_STATUS="[%f/%t] " ninja -C "$tree" |& tee -a "$log" | follow_progress ninja || build_failed "the build failed"
  ninja -C "$tree" -t cleandead >>"$log" 2>&1 || true # no test of a removed source may linger
}

mkdir -p "$root/build"
if have flock; then # two set-ups at once take turns
  exec 9>"$root/build/.lock"
  flock -n 9 || { say "waiting for another build to finish …"; flock 9; }
fi
check_packages
# What was configured before MPI was there does not know of it.
[[ ${1-} != run-mpi || -x $tree/tools/cyclotron-mpi/cyclotron-mpi ]] || rm -f "$tree/.configured" "$tree/CMakeCache.txt"
up_to_date || { : >"$log"; build; }
