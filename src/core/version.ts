// The version of this package.

import { join } from 'node:path';
import { packageRoot, readText } from './files.js';

export function packageVersion(): string {
  return (JSON.parse(readText(join(packageRoot, 'package.json'))) as { version: string }).version;
}
