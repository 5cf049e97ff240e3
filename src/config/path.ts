// A path in the settings: no file system takes a NUL character in one.

import * as z from 'zod';

export const path = z
  .string()
  .min(1)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters');
