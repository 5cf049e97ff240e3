#!/usr/bin/env bash
# Runs a client in a world of its own, and ends with 1 when it did wrong: bash test.sh
set -euo pipefail
export PATH="$PWD/node_modules/.bin:$PATH"
field() { node -pe "JSON.parse(require('fs').readFileSync(0)).$1"; }

# The emulator that CLOUDEMU_URL names, else one of this script's own.
end() { cloudemu world drop "$world" > /dev/null; }
if [ -z "${CLOUDEMU_URL:-}" ]; then
  data=$(mktemp -d)
  end() { cloudemu stop --data-dir "$data" > /dev/null; rm -rf "$data"; }
  cloudemu start --ephemeral --port 0 --quiet --data-dir "$data" &
  cloudemu status --wait --data-dir "$data" > /dev/null
  CLOUDEMU_URL=$(cloudemu status --data-dir "$data" --json | field url)
  export CLOUDEMU_URL
fi
trap end EXIT

# Its id follows from the label: the same each time, so that a failure comes again.
world=$(cloudemu world create --label test.sh --json | field id)
here="$CLOUDEMU_URL/w/$world"
eval "$(cloudemu env --url "$here")" # CLOUD_BASE_URL and CLOUD_API_KEY

# The client under test. The clock jumps to where its container runs.
bash deploy.sh shop
cloudemu await container shop --status running --advance --url "$here" > /dev/null
bash deploy.sh shop --status

cloudemu verdicts --fail-on fail --url "$here"
