#!/usr/bin/env bash
# Runs a command as container engines do: as process 1, not as root and without its rights, on a read-only root with a
# volume at /data, and a /tmp and a /dev/shm that run no programs. SIGTERM goes to the command.
# Usage: as-container.sh ROOT VOLUME USER COMMAND [ARGUMENT...]
set -euo pipefail

inside='
  root=$1 volume=$2 user=$3
  shift 3
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o nosuid,nodev,noexec,mode=1777 shm "$root/dev/shm"
  mount -t tmpfs -o nosuid,nodev,noexec,mode=1777 tmp "$root/tmp"
  mount --bind "$volume" "$root/data"
  mount -o remount,bind,ro "$root"
  exec unshare --root="$root" --wd=/data --setgid="$user" --setuid="$user" "$@"
'
unshare --mount --pid --fork --propagation private bash -euc "$inside" as-container "$@" &
outside=$!
signal() { kill "-$1" $(cat "/proc/$outside/task/$outside/children"); }
trap 'signal TERM' TERM
# What is left when this script is killed goes with it.
(tail --pid=$$ -f /dev/null && signal KILL) &> /dev/null &
while true; do
  code=0
  wait "$outside" || code=$?
  kill -0 "$outside" 2> /dev/null || exit "$code"
done
