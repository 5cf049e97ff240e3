// `cloudemu openapi`: the document without a running emulator, for code generators.

import { loadConfig } from '../../config/load.js';
import { controlDocument } from '../../control-plane.js';
import { packageVersion } from '../../core/files.js';
import { platformDocument } from '../../emulator.js';
import { fail, printJson } from '../print.js';

/** Prints the platform's document, or the control plane's. */
export function openapi({ control, baseUrl, json }: { control: boolean; baseUrl: string; json: boolean }): void {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    fail(2, `--base-url must be a URL that begins with http:// or https://, got "${baseUrl}"`);
  }
  const { config } = loadConfig({ env: process.env });
  const version = packageVersion();
  const server = baseUrl.replace(/\/+$/, '');
  const document = control ? controlDocument(server, version) : platformDocument(config, server, version);
  printJson(document, json ? 0 : 2);
}
