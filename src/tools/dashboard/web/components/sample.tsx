// A first request, where there is nothing to show yet: as it is typed into a shell.

import { program, target, worldFlag } from '../command-line.js';
import { Copy } from './copy.js';

/** A request of the path with the test key; `args` are further arguments of curl. */
export function Sample({ path, args = '' }: { path: string; args?: string }) {
  const text = `eval "$(${program} env${target}${worldFlag})"
curl -s "$CLOUD_BASE_URL${path}" \\
  -H "Authorization: Bearer $CLOUD_API_KEY"${args === '' ? '' : ` \\\n  ${args}`}`;
  return (
    <div class="command long">
      <code>{text}</code>
      <Copy text={text} of="the request" />
    </div>
  );
}
