#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries Cyclotron the way a newcomer would: in minimal systems that have only git and a shell. It finds what every other
# test misses, because the machine they run on has more installed than a user's. Needs root, debootstrap and an apt
# that works.
#
#   scripts/fresh_machine.sh [--worktree] [--order ORDER] [--folder FOLDER] [SYSTEM…]
#
#   SYSTEM       bookworm (Debian 12) or noble (Ubuntu 24.04); without one, both
#   --order      only run-first, or only test-first
#   --worktree   copies the files as they are, instead of cloning the last commit
#   --folder     where base systems are kept for the next trial, and logs are written (cyclotron-fresh in the temporary
#                folder)
#
# In each system both orders are tried, each in a root of its own: ./run before ./test, and ./test before ./run; every
# command twice. The second ./test runs only some of the tests: it shows that set-up finds everything in place. After
# ./run, programs of a user's are built with the installed library, by CMake and by pkg-config, where only the packages
# are installed that ./run asks for.
#
# A system whose root cannot be made here is skipped, and the reason is printed: exit status 77 where nothing could be
# tried, 1 where something did not work. From the environment: FRESH_MIRROR (where packages come from; otherwise where
# apt gets its own, with the system's name in the place of the other's) and FRESH_UBUNTU_KEYRING (from the package
# ubuntu-keyring, which Ubuntu has, and Debian from version 13 on).
# shellcheck disable=SC2016 # quoted on purpose: apt and the inner shell expand these
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

worktree=false
orders=(run-first test-first)
folder=${TMPDIR:-/tmp}/cyclotron-fresh
systems=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --worktree) worktree=true ;;
    --order)
      case ${2-} in
        run-first | test-first) orders=("$2"); shift ;;
        *) echo "--order is run-first or test-first" >&2; exit 2 ;;
      esac
      ;;
    --folder) folder=${2:?--folder needs the name of a folder}; shift ;;
    bookworm | noble) systems+=("$1") ;;
    *) sed -n 's/^# \{0,1\}//; 7,14p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
  shift
done
[[ ${#systems[@]} -gt 0 ]] || systems=(bookworm noble)
mkdir -p "$folder"
folder=$(readlink -f "$folder")

# What differs between the systems.
distribution() { if [[ $1 == noble ]]; then echo ubuntu; else echo debian; fi; }
components() { if [[ $1 == noble ]]; then echo main,universe; else echo main; fi; }
keyring() {
  if [[ $1 == noble ]]; then
    echo "${FRESH_UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}"
  else
    echo /usr/share/keyrings/debian-archive-keyring.gpg
  fi
}

mirror() {
  [[ -z ${FRESH_MIRROR-} ]] || { echo "$FRESH_MIRROR"; return; }
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
    grep -m1 -oE '.*/(debian|ubuntu)/' | sed -E "s,/(debian|ubuntu)/\$,/$(distribution "$1")/,"
}

why_not() { # why the root of a system cannot be made here; nothing where it can
  if [[ $(id -u) -ne 0 ]]; then echo "it needs root"
  elif ! command -v debootstrap >/dev/null; then echo "it needs debootstrap"
  elif [[ -f $folder/base-$1.tar ]]; then return
  elif [[ ! -e $(keyring "$1") ]]; then echo "there is no $(keyring "$1") to check its packages with"
  elif [[ -z $(mirror "$1") ]]; then echo "apt names no mirror here, and neither does FRESH_MIRROR"
  else make_base "$1" || echo "debootstrap failed: $(tail -n 1 "$folder/debootstrap-$1.log")"
  fi
}

make_base() {
  local making=$folder/base-$1 script=/usr/share/debootstrap/scripts/$1
  [[ -e $script ]] || script=/usr/share/debootstrap/scripts/gutsy # an older debootstrap does not know a newer Ubuntu
  rm -rf --one-file-system "$making"
  debootstrap --variant=minbase --include=git --components="$(components "$1")" --keyring="$(keyring "$1")" \
    "$1" "$making" "$(mirror "$1")" "$script" >"$folder/debootstrap-$1.log" 2>&1 || return 1
  rm -rf "$making/var/lib/apt/lists"/* "$making/var/cache/apt"/*.bin
  tar -C "$making" -cf "$folder/base-$1.tar.new" . && mv "$folder/base-$1.tar.new" "$folder/base-$1.tar"
  rm -rf --one-file-system "$making"
}

# A new root: the base system, this machine's way to the network, and the project in /cyclotron.
make_root() {
  rm -rf --one-file-system "$2" && mkdir -p "$2" && tar -C "$2" -xf "$folder/base-$1.tar"
  cp -L /etc/resolv.conf "$2/etc/resolv.conf"
  grep -ls Acquire /etc/apt/apt.conf /etc/apt/apt.conf.d/* | xargs -r cp -t "$2/etc/apt/apt.conf.d" || true
  if $worktree; then
    mkdir "$2/cyclotron"
    git -C "$root" ls-files -co --exclude-standard -z |
      tar -C "$root" --null --ignore-failed-read -T - -cf - | tar -C "$2/cyclotron" -xf -
  else
    git clone -q "$root" "$2/cyclotron"
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

# A user's programs beside the installed library. make and pkg-config are the user's own tools.
use_installed='set -e
cmake --install build/release --prefix /installed
cmake -S examples/cpp -B /user/by-cmake -G Ninja -DCMAKE_PREFIX_PATH=/installed
cmake --build /user/by-cmake
/user/by-cmake/cholesky
apt-get install -q -y --no-install-recommends make pkg-config
cp -r examples/cpp /user/by-pkg-config
PKG_CONFIG_PATH=/installed/lib/pkgconfig make -C /user/by-pkg-config cholesky
/user/by-pkg-config/cholesky'

failed=()
try() { # SYSTEM ROOT NAME COMMAND
  local status=0 start=$EPOCHREALTIME log=$2.log
  echo "--- $1: $3"
  inside "$2" "$4" >"$log.part" 2>&1 || status=$?
  tail -n "$((status ? 40 : 8))" "$log.part"
  echo "--- exit $status after $(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $start }") s"
  { echo "--- $3: exit $status"; cat "$log.part"; } >>"$log"
  rm "$log.part"
  [[ $status -eq 0 ]] || failed+=("$1: $3")
}

try_order() { # SYSTEM NAME STEP…
  local system=$1 place=$folder/$1-$2 step
  make_root "$system" "$place"
  rm -f "$place.log"
  for step in "${@:3}"; do
    case $step in
      run) try "$system" "$place" "./run examples/cholesky.cyc" "./run examples/cholesky.cyc" ;;
      test) try "$system" "$place" ./test ./test ;;
      again) try "$system" "$place" "./test lint docs" "./test lint docs" ;;
      installed) try "$system" "$place" "the installed library" "$use_installed" ;;
    esac
  done
  rm -rf --one-file-system "$place"
}

tried=0
for system in "${systems[@]}"; do
  reason=$(why_not "$system")
  if [[ -n $reason ]]; then
    echo "=== $system skipped: $reason"
    continue
  fi
  tried=$((tried + 1))
  for order in "${orders[@]}"; do
    echo "=== $system: $order"
    case $order in
      run-first) try_order "$system" "$order" run run installed test again ;;
      test-first) try_order "$system" "$order" test again run run ;;
    esac
  done
done
if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'FAILED %s\n' "${failed[@]}"
  exit 1
fi
[[ $tried -gt 0 ]] || exit 77
echo "all commands worked on $tried of ${#systems[@]} systems"
