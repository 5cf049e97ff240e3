// A `docker` for snippets that push an image: it logs in with the real one where there is one; what needs an engine,
// skopeo does from a folder.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEmulator } from '../../src/index.js';
import { runTool } from './tools.js';

/** Writes it to a folder, together with an image of two platforms that it knows as `my-app`. */
export async function writeDocker(folder: string): Promise<void> {
  const layout = `oci:${join(folder, 'my-app')}:v1`;
  const other = await createEmulator();
  const { uri } = other.controls.images.make({ repository: 'my-app', size: 1 });
  const answer = await other.fetch('/api/v1/containers/credentials?projectId=my-app', {
    headers: { authorization: `Bearer ${other.apiKey}` },
  });
  const { credentials } = await answer.json();
  const from = ['--src-tls-verify=false', `--src-creds=AWS:${credentials.password}`, `docker://${uri}`];
  await runTool('skopeo', ['copy', '--all', '-q', ...from, layout]);
  await other.close();
  writeFileSync(
    join(folder, 'docker'),
    `#!/bin/bash
set -euo pipefail
case "$1" in
  login) real=$(PATH="\${PATH#*:}" command -v docker || true)
    if [ -n "$real" ]; then exec "$real" --config "${folder}" "$@"; fi
    shift; set -- "\${@/#http:\\/\\//}"; exec skopeo login --tls-verify=false --authfile "${folder}/config.json" "$@" ;;
  tag) [ "$2" = my-app ]; echo "$3" > "${folder}/tagged" ;;
  push) [ "$2" = "$(cat "${folder}/tagged")" ]
    exec skopeo copy --all --retry-times 2 --dest-tls-verify=false --dest-authfile "${folder}/config.json" "${layout}" "docker://$2" ;;
esac
`,
    { mode: 0o755 },
  );
}
