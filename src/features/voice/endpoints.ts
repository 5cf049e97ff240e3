// Endpoints of voices.

import type { Endpoint } from '../../api/endpoint.js';

export const voiceEndpoints: Endpoint[] = [];
