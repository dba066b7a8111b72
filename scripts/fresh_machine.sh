#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries ./run and ./test the way a newcomer would: in a minimal Debian that has only git and a shell. Needs root,
# debootstrap and an apt that works.
#
#   scripts/fresh_machine.sh [--worktree] [FOLDER]
#
# Both orders are tried, each in a root of its own: ./run then ./test, and ./test then ./run; every command twice.
# FOLDER (default: cyclotron-fresh in the temporary folder) keeps the base system for the next trial.
# --worktree copies the files as they are instead of cloning the last commit.
# From the environment: FRESH_SUITE (bookworm), FRESH_MIRROR (the one apt uses here), FRESH_COMPONENTS (main),
# FRESH_KEYRING (debootstrap's own), FRESH_EXAMPLE (examples/cholesky.cyc).
# Ubuntu 24.04 is FRESH_SUITE=noble FRESH_COMPONENTS=main,universe with a mirror and a keyring of Ubuntu's.
# shellcheck disable=SC2016 # quoted on purpose: apt and the inner shell expand these
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

worktree=false
if [[ ${1-} == --worktree ]]; then worktree=true; shift; fi
folder=${1:-${TMPDIR:-/tmp}/cyclotron-fresh}
suite=${FRESH_SUITE:-bookworm}
base=$folder/base-$suite.tar
mkdir -p "$folder"

make_base() {
  local mirror=${FRESH_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)}
  echo "making the base system ($suite) …"
  rm -rf "$folder/base"
  local options=(--variant=minbase --include=git --components="${FRESH_COMPONENTS:-main}")
  [[ -z ${FRESH_KEYRING-} ]] || options+=(--keyring="$FRESH_KEYRING")
  local script=/usr/share/debootstrap/scripts/$suite # an older debootstrap does not know a newer Ubuntu
  [[ -e $script ]] || script=/usr/share/debootstrap/scripts/gutsy
  debootstrap "${options[@]}" "$suite" "$folder/base" "$mirror" "$script" >"$folder/debootstrap.log" 2>&1 ||
    { tail "$folder/debootstrap.log"; exit 1; }
  rm -rf "$folder/base/var/lib/apt/lists"/* "$folder/base/var/cache/apt"/*.bin
  tar -C "$folder/base" -cf "$base" . && rm -rf "$folder/base"
}

# A new root: the base system, this machine's way to the network, and the project in /cyclotron.
make_root() {
  rm -rf --one-file-system "$1" && mkdir -p "$1" && tar -C "$1" -xf "$base"
  cp -L /etc/resolv.conf "$1/etc/resolv.conf"
  grep -ls Acquire /etc/apt/apt.conf /etc/apt/apt.conf.d/* | xargs -r cp -t "$1/etc/apt/apt.conf.d" || true
  if $worktree; then
    mkdir "$1/cyclotron"
    git -C "$root" ls-files -co --exclude-standard -z |
      tar -C "$root" --null --ignore-failed-read -T - -cf - | tar -C "$1/cyclotron" -xf -
  else
    git clone -q "$root" "$1/cyclotron"
  fi
}

# Runs a command inside a root. The mounts live in a namespace of their own and end with it.
inside() {
  unshare --mount --propagation private bash -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb sh -c "cd /cyclotron && $2"
  ' - "$1" "$2" </dev/null
}

try() {
  local status=0 start=$EPOCHREALTIME
  echo "--- $2"
  inside "$1" "$2" 2>&1 | tail -n 25 || status=$?
  echo "--- exit $status after $(awk "BEGIN { printf \"%.2f\", $EPOCHREALTIME - $start }") s"
  [[ $status -eq 0 ]] || failed=true
}

failed=false
run="./run ${FRESH_EXAMPLE:-examples/cholesky.cyc}"
[[ -f $base ]] || make_base
echo "=== first ./run, then ./test"
make_root "$folder/run-first"
for command in "$run" "$run" ./test ./test; do try "$folder/run-first" "$command"; done
echo "=== first ./test, then ./run"
make_root "$folder/test-first"
for command in ./test ./test "$run" "$run"; do try "$folder/test-first" "$command"; done
if $failed; then echo "FAILED: something above did not work"; exit 1; fi
echo "all commands worked"
