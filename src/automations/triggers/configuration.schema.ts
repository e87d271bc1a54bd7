import { z } from 'zod';

const MAX_MINUTES = 525_600;
const MAX_FIELDS = 100;
const MAX_OPTIONS = 500;

/** Configuration of cron-trigger. Validation checks the expression and the time zone. */
export const CronConfiguration = z.object({
  cron: z.string().min(1).max(200).describe('Five fields: minute, hour, day of month, month, day of week.'),
  timezone: z.string().min(1).max(100).default('UTC').describe('An IANA name, such as Europe/Berlin.'),
  missed: z
    .enum(['skip', 'run_once'])
    .default('run_once')
    .describe('Treatment of missed times: no run, or one run for all of them.'),
});
export type CronConfiguration = z.infer<typeof CronConfiguration>;

/** Configuration of ticket-inactive. */
export const InactiveConfiguration = z.object({ minutes: z.int().min(1).max(MAX_MINUTES) });

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
    .describe('Path of an id in the body, such as data.id. Requests with the same id start one run.'),
});
export type WebhookConfiguration = z.infer<typeof WebhookConfiguration>;

export const FormField = z.object({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,99}$/, 'must be a letter, then letters, digits, _ or -'),
  type: z.enum(['text', 'email', 'number', 'checkbox', 'select']),
  required: z.boolean().default(false),
  options: z.array(z.string().min(1).max(500)).min(1).max(MAX_OPTIONS).optional().describe('Only for select.'),
});
export type FormField = z.infer<typeof FormField>;

/** Configuration of form-trigger. */
export const FormConfiguration = z.object({
  fields: z
    .array(FormField)
    .min(1)
    .max(MAX_FIELDS)
    .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'must each have another name')
    .refine((fields) => fields.every((field) => field.type !== 'select' || field.options), 'a select needs options'),
});
