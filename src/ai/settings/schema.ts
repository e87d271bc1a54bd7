import { z } from 'zod';
import { Language, SessionChannel } from '../../http/schemas.ts';
import type { SentenceKey } from '../gates/sentences.rules.ts';

/** The sentences that the AI says now. */
const SPOKEN = [
  'handing_off',
  'found',
  'may_help',
  'not_found',
  'ask_details',
  'unreadable',
  'prohibited_topic',
  'failed',
  'action_done',
  'action_failed',
  'action_unknown',
  'action_in_progress',
  'confirm_question',
  'confirm_yes_hint',
  'confirmed',
  'rejected_confirmation',
  'confirm_button',
  'reject_button',
  'confirmation_expired',
] as const satisfies SentenceKey[];
const MAX_SECONDS = 300;
const MAX_SENTENCE = 1_000;
const MINUTES_PER_MONTH = 43_200;

const SecondsByChannel = z.partialRecord(SessionChannel, z.number().min(0).max(MAX_SECONDS));

/** What an org can set for its AI. Absent fields of a draft have their defaults. */
export const AiSettings = z.object({
  handoff_level: z
    .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
    .describe(
      'When people get a session that the AI has no answer for. 0: never by itself. 1: at once. 2: after two questions. 3: after max_turns_without_progress. Whoever asks for a person gets one at any level.',
    ),
  quiet_seconds: SecondsByChannel.describe('The AI answers when the contact has been quiet for this time, by channel.'),
  cap_seconds: SecondsByChannel.describe(
    'It waits no longer than this after the first unanswered message, by channel.',
  ),
  max_wrong: z
    .number()
    .min(0.001)
    .max(0.5)
    .describe(
      'The share of wrong answers where knowledge has no answer to a question: the next calibration aims at it.',
    ),
  max_turns_without_progress: z.int().min(1).max(20),
  phrases: z
    .partialRecord(Language, z.partialRecord(z.enum(SPOKEN), z.string().trim().min(1).max(MAX_SENTENCE)))
    .describe('Replaces fixed sentences of the AI, by language.'),
  reopen_goes_to: z
    .enum(['ai', 'people'])
    .describe('Who gets a session that the contact reopens. One that was handed off stays with people.'),
  assume_resolved_after_minutes: z
    .int()
    .min(1)
    .max(MINUTES_PER_MONTH)
    .nullable()
    .describe('Resolves a session whose contact has not written for this time after an answer. null: never.'),
});
export type AiSettings = z.infer<typeof AiSettings>;

export const DEFAULT_SETTINGS: AiSettings = {
  handoff_level: 1,
  quiet_seconds: { web: 1.5, sms: 4, whatsapp: 4, messenger: 4, instagram: 4, email: 5 },
  cap_seconds: { web: 10, sms: 20, whatsapp: 20, messenger: 20, instagram: 20, email: 15 },
  max_wrong: 0.05,
  max_turns_without_progress: 3,
  phrases: {},
  reopen_goes_to: 'ai',
  assume_resolved_after_minutes: null,
};

export const UpdateAiSettings = z
  .object(
    Object.fromEntries(
      Object.entries(AiSettings.shape).map(([name, field]) => [name, field.nullable().optional()]),
    ) as { [Name in keyof AiSettings]: z.ZodOptional<z.ZodNullable<(typeof AiSettings.shape)[Name]>> },
  )
  .meta({
    id: 'UpdateAiSettings',
    description: 'Changes the draft. Absent fields stay, null sets a field to its default.',
    examples: [{ handoff_level: 3, quiet_seconds: { web: 2 } }],
  });
export type UpdateAiSettings = z.infer<typeof UpdateAiSettings>;

export const StoredAiSettings = z
  .object({
    draft: AiSettings,
    published: AiSettings.extend({ version: z.int().describe('0: nothing was published, these are the defaults.') }),
  })
  .meta({
    id: 'AiSettings',
    examples: [{ draft: DEFAULT_SETTINGS, published: { ...DEFAULT_SETTINGS, version: 0 } }],
  });
