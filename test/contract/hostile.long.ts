// A hundred thousand hostile requests over platform and control plane, the same number for each operation.
//
// It takes longer than a usual run may: npm run test:long

import { controlEndpoints } from '../../src/controls/endpoints.js';
import { campaign } from '../support/hostile-campaign.js';
import { surface } from '../support/surface.js';

const all = 100_000;

campaign(() => Math.ceil(all / (surface.length + controlEndpoints.length)));
