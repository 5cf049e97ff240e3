// `cloudemu openapi`: the document without a running emulator, for code generators.

import { controlDocument } from '../../app/control-plane.js';
import { platformDocument } from '../../app/platform-document.js';
import { loadConfig } from '../../config/load.js';
import { packageVersion } from '../../core/files.js';
import { command, type ValuesOf } from '../command.js';
import { failUsage, printJson } from '../print.js';

const flags = {
  control: { type: 'boolean', describe: 'Print the document of the control plane instead of the platform’s' },
  'base-url': { type: 'string', default: 'http://127.0.0.1:4747', describe: 'Server URL in the document' },
  json: { type: 'boolean', describe: 'Print it on one line' },
} as const;

export const openapiCommand = command({
  words: 'openapi',
  describe: 'Print the OpenAPI 3.1 document',
  flags,
  examples: [['openapi > openapi.json', 'to generate a client; works without a running emulator']],
  run: openapi,
});

function openapi({ control, 'base-url': baseUrl, json }: ValuesOf<typeof flags>): void {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    failUsage({ field: '--base-url', meant: 'a URL that begins with http:// or https://', received: baseUrl });
  }
  const { config } = loadConfig({ env: process.env });
  const version = packageVersion();
  const server = baseUrl.replace(/\/+$/, '');
  const document = control ? controlDocument(config, server, version) : platformDocument(config, server, version);
  printJson(document, json ? 0 : 2);
}
