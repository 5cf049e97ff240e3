// Entry of the command's bundle.

import { ConfigError } from '../config/error.js';
import { Declined, Unreachable } from './client.js';
import { main } from './main.js';
import { fail } from './print.js';

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof Unreachable) fail(1, error.message);
  if (error instanceof Declined) fail(error.exitCode, error.message);
  if (error instanceof ConfigError) fail(2, error.message);
  fail(1, `Fault of cloudemu itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
});
