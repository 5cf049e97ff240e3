#!/usr/bin/env bash
# The client under test: deploys a project, or tells its status.
set -euo pipefail
api() { curl -sSf -H "Authorization: Bearer $CLOUD_API_KEY" "$CLOUD_BASE_URL/api/v1/containers" "$@"; }

if [ "${2:-}" = --status ]; then
  api | node -pe "JSON.parse(require('fs').readFileSync(0)).data.find((one) => one.project_name === '$1').status"
else
  api -o /dev/null -d "{\"name\": \"$1\", \"project_name\": \"$1\", \"ecr_image_uri\": \"registry.local/$1:v1\"}"
fi
