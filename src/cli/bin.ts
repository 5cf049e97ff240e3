// Entry of the command's bundle.

import { main, tellFailure } from './main.js';

// Node would show the line that has thrown, which is a bundle.
process.on('uncaughtException', tellFailure);
main(process.argv.slice(2)).catch(tellFailure);
