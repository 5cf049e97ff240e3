// `cloudemu config schema`: the JSON Schema of the settings file, for editors.

import { configJsonSchema } from '../../config/json-schema.js';
import { printJson } from '../print.js';

export function configSchema(options: { json: boolean }): void {
  printJson(configJsonSchema(), options.json ? 0 : 2);
}
