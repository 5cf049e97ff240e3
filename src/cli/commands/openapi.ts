// `cloudemu openapi`: the document without a running emulator, for code generators.

import { controlDocument } from '../../app/control-plane.js';
import { platformDocument } from '../../app/platform-document.js';
import { loadConfig } from '../../config/load.js';
import { packageVersion } from '../../core/files.js';
import type { Command } from '../command.js';
import { failUsage, printJson } from '../print.js';

export const openapiCommand: Command = {
  words: 'openapi',
  describe: 'Print the OpenAPI 3.1 document',
  flags: {
    control: { type: 'boolean', describe: 'Print the document of the control plane instead of the platform’s' },
    'base-url': { type: 'string', default: 'http://127.0.0.1:4747', describe: 'Server URL in the document' },
    json: { type: 'boolean', describe: 'Print it on one line' },
  },
  examples: [['openapi > openapi.json', 'to generate a client; works without a running emulator']],
  run: (values) =>
    openapi({ control: values.control === true, baseUrl: String(values['base-url']), json: values.json === true }),
};

function openapi({ control, baseUrl, json }: { control: boolean; baseUrl: string; json: boolean }): void {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    failUsage({ field: '--base-url', meant: 'a URL that begins with http:// or https://', received: baseUrl });
  }
  const { config } = loadConfig({ env: process.env });
  const version = packageVersion();
  const server = baseUrl.replace(/\/+$/, '');
  const document = control ? controlDocument(config, server, version) : platformDocument(config, server, version);
  printJson(document, json ? 0 : 2);
}
