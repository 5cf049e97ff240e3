// Entry of the command's bundle.

import { main, tellFailure } from './main.js';

main(process.argv.slice(2)).catch(tellFailure);
