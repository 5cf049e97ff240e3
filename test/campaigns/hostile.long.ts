// A hundred thousand hostile requests over platform, image registry and control plane, the same number for each operation.
//
// It takes longer than a usual run may: npm run test:long

import { everySurface } from '../support/surface.js';
import { campaign } from './support/hostile-campaign.js';

// Salvos are mostly a little smaller than on average.
const all = 110_000;

campaign(() => Math.ceil(all / everySurface.length));
