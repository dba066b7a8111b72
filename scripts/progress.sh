# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For scripts/setup.sh: shows how far a long command is. On a terminal one line that moves and is erased at the end; in a
# pipe or a file a line at the start, and then one every half minute at most.
#
#   start_progress TEXT                      says what begins
#   COMMAND |& follow_progress apt|ninja     reads the output of the command and says how far it is

between_lines=${CYCLOTRON_PROGRESS_SECONDS:-30} # in a pipe
line_is_there=false

on_terminal() { [[ -t 2 && ${TERM:-dumb} != dumb ]]; }

# Without the automatic line break, so that a narrow terminal cuts the line off instead of leaving old ones behind.
move_line() {
  line_is_there=true
  printf '\r\e[K\e[?7lcyclotron: %s\e[?7h' "$1" >&2
}
erase_line() {
  if $line_is_there; then printf '\r\e[K' >&2; fi
  line_is_there=false
}

start_progress() { if on_terminal; then move_line "$1"; else echo "cyclotron: $1" >&2; fi; }

# Seconds in words: `about 40 s left`, `about 3 min left`.
time_left() {
  if (($1 < 60)); then echo "about $((($1 + 9) / 10 * 10)) s left"; else echo "about $((($1 + 59) / 60)) min left"; fi
}

# Sets `now` by a line of ninja's output, `[57/215] …`. The estimate takes the steps to come for as long as those done,
# and waits until there are enough of them.
read_ninja() {
  [[ $1 =~ ^\[([0-9]+)/([0-9]+)\] ]] || return 0
  local step=${BASH_REMATCH[1]} steps=${BASH_REMATCH[2]}
  ((step >= last_step)) || begin=$SECONDS # ninja made its own file anew, and counts from the start
  last_step=$step
  now="building $step of $steps"
  local elapsed=$((SECONDS - begin))
  if ((step < steps && elapsed >= 10 && step * 20 >= steps)); then
    now+=", $(time_left $((elapsed * (steps - step) / step)))"
  fi
}

# Sets `now` by a line of apt-get's output; the number of packages includes those that others need.
read_apt() {
  if [[ $1 =~ ^([0-9]+)\ upgraded,\ ([0-9]+)\ newly\ installed ]]; then
    packages_in_all=$((BASH_REMATCH[1] + BASH_REMATCH[2]))
  elif ((packages_in_all == 0)); then
    now="$title: reading the lists of packages"
  elif [[ $1 =~ ^Get:([0-9]+)\  ]]; then
    now="$title: downloading ${BASH_REMATCH[1]} of $packages_in_all"
  elif [[ $1 == Unpacking\ * ]]; then
    now="$title: unpacking $((++unpacked)) of $packages_in_all"
  elif [[ $1 == Setting\ up\ * ]]; then
    now="$title: setting up $((++set_up)) of $packages_in_all"
  fi
}

show_now() {
  [[ -n $now && $now != "$shown" ]] || return 0
  if on_terminal; then
    move_line "$now"
  elif ((SECONDS - last_line >= between_lines)); then
    echo "cyclotron: $now" >&2
    last_line=$SECONDS
  else
    return 0
  fi
  shown=$now
}

follow_progress() {
  local kind=$1 title=${2-} line part="" now="" shown="" begin=$SECONDS last_line=$SECONDS
  local last_step=0 packages_in_all=0 unpacked=0 set_up=0 status
  while true; do # wakes up every second, since the next line of the command may take long
    status=0
    IFS= read -r -t 1 line || status=$?
    part+=$line
    if ((status == 0)); then
      "read_$kind" "$part"
      part=""
    elif ((status <= 128)); then
      break
    fi
    show_now
  done
  erase_line
}
