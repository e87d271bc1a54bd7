import { z } from 'zod';
import { problemsOf } from '../../actions/definitions/operations.rules.ts';
import { Timezone } from '../../orgs/settings/schema.ts';
import { SessionChannel } from '../../schemas/parts.ts';

const MAX_MINUTES = 525_600;
const MAX_FIELDS = 100;
const MAX_OPTIONS = 500;
const MAX_LABEL = 200;
const MAX_DESCRIPTION = 1_000;
const MAX_SCHEMA = 20_000;

/** Configuration of cron-trigger. Validation checks the expression. */
export const CronConfiguration = z.object({
  cron: z
    .string()
    .min(1)
    .max(200)
    .describe(
      'Five fields: minute, hour, day of month, month, day of week. Where both days are given, both must match.',
    ),
  timezone: Timezone.default('UTC').describe('An IANA name, such as Europe/Berlin.'),
  missed: z
    .enum(['skip', 'run_once'])
    .default('run_once')
    .describe('Treatment of missed times: no run, or one run for all of them.'),
});
export type CronConfiguration = z.infer<typeof CronConfiguration>;

/** Configuration of ticket-inactive. */
export const InactiveConfiguration = z.object({
  minutes: z
    .int()
    .min(1)
    .max(MAX_MINUTES)
    .describe('Since the last message, the opening or a reopening. Messages of workflows and sequences do not count.'),
});

/** Configuration of webhook. */
export const WebhookConfiguration = z.object({
  secret: z
    .string()
    .min(16)
    .max(500)
    .optional()
    .describe(
      'Then each request must be signed: by Standard Webhooks, or with the HMAC-SHA256 of the body in hex as X-Signature.',
    ),
  dedupe_path: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Path of an id in the body, such as data.id. Requests with the same id start one run. An empty text is no id.',
    ),
});
export type WebhookConfiguration = z.infer<typeof WebhookConfiguration>;

export const FormField = z.object({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,99}$/, 'must be a letter, then letters, digits, _ or -'),
  type: z.enum(['text', 'email', 'number', 'checkbox', 'select']),
  required: z.boolean().default(false),
  label: z.string().trim().min(1).max(MAX_LABEL).optional().describe('On the hosted page. Absent: its name in words.'),
  options: z.array(z.string().min(1).max(500)).min(1).max(MAX_OPTIONS).optional().describe('Only for select.'),
});
export type FormField = z.infer<typeof FormField>;

/** Configuration of ai-trigger: how the AI is offered the workflow. */
export const AiConfiguration = z.object({
  description: z
    .string()
    .trim()
    .min(1)
    .max(MAX_DESCRIPTION)
    .optional()
    .describe('What it does and when to call it, for the model. Absent: the workflow’s description.'),
  arguments: z
    .record(z.string(), z.unknown())
    .refine(({ type }) => type === 'object', 'must be the JSON Schema of an object')
    .refine(
      (schema) => JSON.stringify(schema).length <= MAX_SCHEMA,
      `must have at most ${MAX_SCHEMA} characters as JSON`,
    )
    .refine((schema) => !hasReferences(schema), 'must not hold $ref: put what it refers to in its place')
    .optional()
    .describe('The JSON Schema of its arguments. Calls with others are refused. Absent: any object.'),
  channels: z.array(SessionChannel).min(1).optional().describe('Where it is offered. Absent: on all channels.'),
  confirm: z
    .enum(['auto', 'always'])
    .default('auto')
    .describe('always: the customer is asked before each call. auto: where the rules for actions ask.'),
  requires_verified: z.boolean().default(false).describe('Whether it is only for contacts whose identity is verified.'),
  limits: z
    .unknown()
    .describe('JSON Logic over {body_params: arguments}. Where it holds, an agent must confirm.')
    .optional(),
});
export type AiConfiguration = z.infer<typeof AiConfiguration>;

const hasReferences = (schema: Record<string, unknown>): boolean =>
  problemsOf({
    api_endpoint: '',
    request_type: 'POST',
    payload: { requestBody: { content: { 'application/json': { schema } } } },
  }).length > 0;

/** Configuration of form-trigger. */
export const FormConfiguration = z.object({
  title: z.string().trim().min(1).max(MAX_LABEL).optional().describe('Of the hosted page. Absent: the org’s name.'),
  thanks: z.string().trim().min(1).max(MAX_DESCRIPTION).optional().describe('What the page says after a submission.'),
  fields: z
    .array(FormField)
    .min(1)
    .max(MAX_FIELDS)
    .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'must each have another name')
    .refine((fields) => fields.every((field) => field.type !== 'select' || field.options), 'a select needs options'),
});
export type FormConfiguration = z.infer<typeof FormConfiguration>;
