// `cloudemu config schema`: the JSON Schema of the settings file, for editors.

import { configJsonSchema } from '../../config/json-schema.js';
import { printLine } from '../print.js';

export function configSchema(options: { json: boolean }): void {
  printLine(JSON.stringify(configJsonSchema(), null, options.json ? 0 : 2));
}
