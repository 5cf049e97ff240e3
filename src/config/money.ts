// What things cost, what accounts begin with, and what running containers are billed: settings.

import * as z from 'zod';
import { duration } from './duration.js';
import { voiceModels } from './voice.js';

/** An amount of credits. */
export const amount = z.number().min(0).max(1_000_000_000);

const yearMs = 366 * 86_400_000;

export const credits = z.lazy(() =>
  z
    .strictObject({
      seeded: amount.default(1_000).describe('What the seeded organization starts with'),
      initialFree: amount
        .default(5)
        .describe('What an account begins with that a wallet’s sign-in creates; INITIAL_FREE_CREDITS sets it too'),
      perDollar: z
        .number()
        .min(0.000_001)
        .max(1_000_000)
        .default(1)
        .describe('Credits that a dollar buys: what top-ups bring, and what payments with USDC cost'),
      refundUnfinished: z
        .boolean()
        .default(true)
        .describe('A deployment that is deleted before it ends returns its charge'),
      deletionRefund: z
        .array(
          z.lazy(() =>
            z.strictObject({
              within: z
                .union([z.literal('sameDay'), duration])
                .describe('How long after its deployment; sameDay: on the same day of UTC'),
              share: z.number().min(0).max(1).describe('Of the charge: 0 nothing, 1 all of it'),
            }),
          ),
        )
        .default([])
        .describe('What deleting a running container returns of its charge, in whole credits: the first that fits'),
    })
    .prefault({})
    .describe('What accounts begin with, and what comes back'),
);

export const prices = z.lazy(() =>
  z
    .strictObject({
      deploy: amount.default(0.5).describe('A deployment with one instance'),
      perAdditionalInstance: amount.default(0.05).describe('Each further instance of it'),
      cpuStep: amount.default(0).describe('Per further 256 CPU units above 256'),
      memoryStep: amount.default(0).describe('Per further 512 MB above 512'),
      daily: amount.default(0.67).describe('Per instance and day'),
      dailyCpu: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(0)
        .describe('The CPU units that the daily price covers: an instance with more costs more in proportion; 0: any'),
      imageUpload: amount.default(0).describe('Pushing an image'),
      inputTokens: amount
        .default(0.0005)
        .describe('Per 1,000 tokens that a model is sent, where its own price is unknown'),
      outputTokens: amount.default(0.0015).describe('Per 1,000 tokens that a model answers, where its own is unknown'),
      tokenMarkup: z.number().min(0).max(1_000).default(1).describe('What prices of tokens are multiplied by'),
      image: amount.default(0.04).describe('Per picture that a model makes'),
      video: amount.default(0.5).describe('Per video that a model makes'),
      textToSpeech: amount.default(1).describe('Per 1,000 characters, begun ones count'),
      textToSpeechByModel: z.partialRecord(z.enum(voiceModels), amount).default({}).describe('Where models differ'),
      speechToText: amount.default(2).describe('Per minute of audio, begun ones count'),
      voiceClone: amount.default(10).describe('Per instant clone'),
      professionalVoiceClone: amount.nullable().default(null).describe('Per professional clone; null: the same'),
    })
    .prefault({})
    .describe('What things cost, in credits'),
);

export const billing = z.lazy(() =>
  z
    .strictObject({
      daily: z
        .boolean()
        .default(false)
        .describe('Charge prices.daily for each instance that runs at 00:00 UTC of virtual time'),
      grace: duration
        .refine((ms) => ms <= yearMs, { message: 'must be at most a year' })
        .default(172_800_000)
        .describe('How long a container runs on when the credits do not suffice for its day; then it is stopped'),
    })
    .prefault({})
    .describe('Billing of containers by the day'),
);
