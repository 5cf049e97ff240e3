// The meaning of a schema's values in words, where the schema alone does not say it: for usage errors of the command line.

import * as z from 'zod';

/** Beside the schemas, so that no document contains it. */
export const meanings = z.registry<{ meant: string }>();
