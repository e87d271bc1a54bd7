import { z } from 'zod';
import { Budgets, Prices } from '../../models/budgets/schema.ts';
import type { SentenceKey } from '../../recognition/sentences.rules.ts';
import { Language, SessionChannel } from '../../schemas/parts.ts';

/**
 * The sentences of the AI that an org can replace here. The sentence about a prohibited topic is one of the org's
 * settings.
 */
const SPOKEN = [
  'handing_off',
  'found',
  'may_help',
  'not_found',
  'ask_details',
  'unreadable',
  'failed',
  'budget',
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
const MAX_MODELS = 10;
const MAX_CANNED = 200;
const MAX_CANNED_TEXT = 4_000;
const MAX_LINKS = 100;
const MAX_LINK = 2_048;
const MAX_CONTEXT_FIELDS = 50;
const MAX_SECONDS = 300;
const MAX_SENTENCE = 1_000;
const MINUTES_PER_MONTH = 43_200;

const CannedName = z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 letters, digits, _ or -');
const ContextField = z
  .string()
  .regex(/^(?:name|email|phone|custom_data\.[^.]{1,255})$/, 'must be name, email, phone or custom_data.<key>');

const SecondsByChannel = z.partialRecord(SessionChannel, z.number().min(0).max(MAX_SECONDS));

/** An org's settings for its AI. Absent fields of a draft have their defaults. */
export const AiSettings = z.object({
  mode: z
    .enum(['cited', 'canned', 'extractive'])
    .describe(
      'What the AI says. cited: a model’s sentences, each with a quote or a receipt. canned: approved sentences only, chosen by a model. extractive: quotes alone, without a model. Without a connected model it is always extractive.',
    ),
  models: z
    .array(z.string().min(1).max(255))
    .max(MAX_MODELS)
    .refine((models) => new Set(models).size === models.length, 'must not name a model twice')
    .describe('The models of the llm integration, the first one first. Empty: its own model. No other is ever used.'),
  budgets: Budgets.describe('The most that models may use. Absent: no limit.'),
  prices: Prices.describe('What a million tokens of a model cost, in a currency of your own. It makes costs known.'),
  on_budget: z.enum(['extractive', 'handoff']).describe('What follows where a budget is used up.'),
  on_provider_down: z.enum(['extractive', 'handoff']).describe('What follows where no model answers.'),
  canned_answers: z
    .array(z.object({ name: CannedName, text: z.string().trim().min(1).max(MAX_CANNED_TEXT) }))
    .max(MAX_CANNED)
    .refine((answers) => new Set(answers.map(({ name }) => name)).size === answers.length, 'must not have a name twice')
    .describe('Approved sentences. A model may say them as they are, and in the mode canned nothing else.'),
  allowed_links: z
    .array(z.url({ protocol: /^https?$/ }).max(MAX_LINK))
    .max(MAX_LINKS)
    .describe('Beginnings of addresses that the AI may link to beside the pages it quotes.'),
  context_fields: z
    .array(ContextField)
    .max(MAX_CONTEXT_FIELDS)
    .describe('The fields of a contact that models get: name, email, phone, or custom_data.<key>.'),
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
  max_steps: z.int().min(1).max(20).describe('A turn asks a model at most this often what to do.'),
  max_calls: z.int().min(0).max(20).describe('A turn calls at most this many actions.'),
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
  publish_requires: z
    .strictObject({ min_pass: z.number().positive().max(1) })
    .nullable()
    .describe(
      'The share of eval cases that a run of the draft must pass before it is published. It also guards its own change: what is published counts as well. null: none.',
    ),
});
export type AiSettings = z.infer<typeof AiSettings>;

export const DEFAULT_SETTINGS: AiSettings = {
  mode: 'cited',
  models: [],
  budgets: {},
  prices: {},
  on_budget: 'extractive',
  on_provider_down: 'extractive',
  canned_answers: [],
  allowed_links: [],
  context_fields: [],
  handoff_level: 1,
  quiet_seconds: { web: 1.5, sms: 4, whatsapp: 4, messenger: 4, instagram: 4, email: 5 },
  cap_seconds: { web: 10, sms: 20, whatsapp: 20, messenger: 20, instagram: 20, email: 15 },
  max_wrong: 0.05,
  max_turns_without_progress: 3,
  max_steps: 6,
  max_calls: 4,
  phrases: {},
  reopen_goes_to: 'ai',
  assume_resolved_after_minutes: null,
  publish_requires: null,
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
