// The shape of the virtual time in answers of control operations.

import * as z from 'zod';

export const clockView = z.object({ now: z.string(), speed: z.number(), frozen: z.boolean(), skewMs: z.number() });
