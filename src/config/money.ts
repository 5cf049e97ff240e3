// Settings of prices, initial balances and daily billing.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';
import { voiceModels } from './voice.js';

/** An amount of credits. */
export const amount = z.number().min(0).max(1_000_000_000);

const yearMs = 366 * 86_400_000;

export const credits = z.lazy(() =>
  z
    .strictObject({
      seeded: amount.default(1_000).describe('Initial balance of the seeded organization'),
      initialFree: amount
        .default(5)
        .describe('Initial balance of an account that a wallet’s sign-in creates; INITIAL_FREE_CREDITS also sets it'),
      perDollar: z
        .number()
        .min(0.000_001)
        .max(1_000_000)
        .default(1)
        .describe('Credits per dollar, for top-ups and for payments with USDC'),
      balanceData: z
        .boolean()
        .default(false)
        .describe('Repeat the balance as data.balance, where plug-ins of the newer platform read it'),
      refundUnfinished: z.boolean().default(true).describe('Refund a deployment that is deleted before it is finished'),
      deletionRefund: z
        .array(
          z.lazy(() =>
            z.strictObject({
              within: z
                .union([z.literal('sameDay'), duration])
                .describe('Time since the deployment; sameDay: on the same UTC day'),
              share: z.number().min(0).max(1).describe('Share of the charge, from 0 (nothing) to 1 (all)'),
            }),
          ),
        )
        .default([])
        .describe('Refunds for deleting a running container, in whole credits; the first entry that matches applies'),
    })
    .prefault({})
    .describe('Initial balances and refunds'),
);

export const prices = z.lazy(() =>
  z
    .strictObject({
      deploy: amount.default(0.5).describe('Price of a deployment with one instance'),
      perAdditionalInstance: amount.default(0.05).describe('Price of each further instance'),
      cpuStep: amount.default(0).describe('Price per 256 CPU units above 256'),
      memoryStep: amount.default(0).describe('Price per 512 MB above 512 MB'),
      daily: amount.default(0.67).describe('Price per instance and day'),
      dailyCpu: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(0)
        .describe('CPU units that the daily price covers; larger instances cost proportionally more; 0: no limit'),
      dailyMemory: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(0)
        .describe('MB that the daily price covers; it grows with the root of what is above; 0: no limit'),
      imageUpload: amount.default(0).describe('Price of pushing an image'),
      inputTokens: amount
        .default(0.0005)
        .describe('Price per 1,000 input tokens, for models without a price of their own'),
      outputTokens: amount
        .default(0.0015)
        .describe('Price per 1,000 output tokens, for models without a price of their own'),
      tokenMarkup: z.number().min(0).max(1_000).default(1).describe('Factor by which token prices are multiplied'),
      image: amount.default(0.04).describe('Price per generated image'),
      video: amount.default(0.5).describe('Price per generated video'),
      textToSpeech: amount.default(1).describe('Price per 1,000 characters, rounded up'),
      textToSpeechByModel: z
        .partialRecord(z.enum(voiceModels), amount)
        .default({})
        .describe('Price per 1,000 characters by model, where it differs'),
      speechToText: amount.default(2).describe('Price per minute of audio, rounded up'),
      voiceClone: amount.default(10).describe('Price per instant clone'),
      professionalVoiceClone: amount
        .nullable()
        .default(null)
        .describe('Price per professional clone; null: the same as an instant clone'),
    })
    .prefault({})
    .describe('Prices in credits'),
);

export const billing = z.lazy(() =>
  z
    .strictObject({
      daily: z
        .boolean()
        .default(false)
        .describe(
          'Charge prices.daily for each instance that is running at 00:00 UTC of virtual time: for the day that begins, or (with the profile elizacloud) for the time that has passed',
        ),
      grace: duration
        .refine((ms) => ms <= yearMs, { message: 'must be at most a year' })
        .default(172_800_000)
        .describe(
          'Time for which a container keeps running without enough credits for its day; after that it is stopped',
        ),
    })
    .prefault({})
    .describe('Daily billing of containers'),
);
