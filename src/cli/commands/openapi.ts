// `cloudemu openapi`: the document without a running emulator, for code generators.

import { loadConfig } from '../../config/load.js';
import { controlDocument, platformDocument } from '../../emulator.js';
import { packageVersion } from '../../kernel/version.js';
import { printLine } from '../print.js';

export function openapi(options: { control: boolean; baseUrl: string; json: boolean }): void {
  const { config } = loadConfig({ env: process.env });
  const version = packageVersion();
  const document = options.control ? controlDocument(options.baseUrl, version) : platformDocument(config, options.baseUrl, version);
  printLine(JSON.stringify(document, null, options.json ? 0 : 2));
}
