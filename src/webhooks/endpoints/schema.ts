import { z } from 'zod';
import { headerNameProblem, headerValueProblem } from '../../providers/egress/headers.rules.ts';
import { Id, Time, Timestamp } from '../../schemas/parts.ts';
import { EndpointEventType } from '../events/schema.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_DESCRIPTION_LENGTH = 500;
const MAX_HEADERS = 20;
const MAX_PER_SECOND = 1_000;
const MAX_GRACE_HOURS = 168;
/** Headers of the scheme, and of the connection, are ours. */
const OWN_HEADER = /^(webhook-.*|content-type|user-agent)$/i;
/** Shown in place of a value that was given once. */
export const MASK = '***';

const Url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(MAX_URL_LENGTH)
  .refine((url) => {
    const parsed = URL.parse(url);
    return parsed === null || (parsed.username === '' && parsed.password === '');
  }, 'must contain no user or password: use headers')
  .describe('Only public addresses get requests, and redirects are not followed.');

const EventTypes = z
  .array(EndpointEventType)
  .max(100)
  .transform((types) => [...new Set(types)])
  .describe('Empty: all, also those of later versions.');

const Headers = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    if (Object.keys(headers).length > MAX_HEADERS)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_HEADERS} headers` });
    for (const [name, value] of Object.entries(headers)) {
      const isOurs = OWN_HEADER.test(name) ? 'is a header that Switchboard sets' : undefined;
      const message = isOurs ?? headerNameProblem(name) ?? headerValueProblem(value);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .describe(`Sent with every request, such as an Authorization. Stored encrypted and shown as "${MASK}".`);

const settings = {
  url: Url,
  description: z.string().max(MAX_DESCRIPTION_LENGTH).nullable(),
  event_types: EventTypes,
  payload: z.enum(['full', 'thin']).describe('thin: only ids, and the url to read the rest from.'),
  ordered: z
    .boolean()
    .describe('Whether the next event of a session waits until the one before was accepted, or failed for good.'),
  max_per_second: z.int().min(1).max(MAX_PER_SECOND).nullable().describe('null: no limit.'),
  headers: Headers,
  enabled: z
    .boolean()
    .describe('What happens while it is false is held for 30 days. Enabling it again does not send what is held.'),
};

export const CreateEndpoint = z
  .object({
    url: settings.url,
    description: settings.description.default(null),
    event_types: settings.event_types.default([]),
    payload: settings.payload.default('full'),
    ordered: settings.ordered.default(false),
    max_per_second: settings.max_per_second.default(null),
    headers: settings.headers.default({}),
    enabled: settings.enabled.default(true),
  })
  .meta({
    id: 'CreateWebhookEndpoint',
    examples: [{ url: 'https://example.com/hooks', event_types: ['conversation.started'] }],
  });
export type CreateEndpoint = z.infer<typeof CreateEndpoint>;

export const UpdateEndpoint = z
  .object({
    ...settings,
    headers: settings.headers.describe(`Replaces all headers. A value of "${MASK}" keeps the one it has.`),
  })
  .partial()
  .meta({ id: 'UpdateWebhookEndpoint', examples: [{ event_types: ['contact.created'], enabled: true }] });
export type UpdateEndpoint = z.infer<typeof UpdateEndpoint>;

export const EndpointPath = z.object({ id: Id });

const EXAMPLE = {
  id: '01900000-0000-7000-8000-000000000001',
  url: 'https://example.com/hooks',
  description: null,
  event_types: ['conversation.started'],
  payload: 'full',
  ordered: false,
  max_per_second: null,
  headers: {},
  enabled: true,
  state: 'healthy',
  disabled_because: null,
  failing_since: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
} as const;

const endpointFields = {
  id: Id,
  url: z.string(),
  description: z.string().nullable(),
  event_types: z.array(z.string()),
  payload: z.enum(['full', 'thin']),
  ordered: z.boolean(),
  max_per_second: z.int().nullable(),
  headers: z.record(z.string(), z.string().describe(`Always "${MASK}".`)),
  enabled: z.boolean(),
  state: z.enum(['healthy', 'failing', 'disabled']).describe('failing: nothing was accepted since the last failure.'),
  disabled_because: z
    .enum(['by_hand', 'gone', 'failing'])
    .nullable()
    .describe('gone: it answered 410. failing: it accepted nothing for five days.'),
  failing_since: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Endpoint = z.object(endpointFields).meta({ id: 'WebhookEndpoint', examples: [EXAMPLE] });
export const EndpointPage = z.object({ items: z.array(Endpoint), next: z.string().nullable() });

const Secret = z
  .string()
  .describe('`whsec_` and 32 random bytes in base64, which sign every request. It is shown this once.');
export const CreatedEndpoint = z
  .object({ ...endpointFields, secret: Secret })
  .meta({ id: 'CreatedWebhookEndpoint', examples: [{ ...EXAMPLE, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }] });

export const RotateSecret = z
  .object({
    grace_hours: z
      .int()
      .min(0)
      .max(MAX_GRACE_HOURS)
      .default(24)
      .describe('For so long, requests are signed with the old secret as well. 0 also ends all earlier ones.'),
  })
  .meta({ id: 'RotateWebhookSecret', examples: [{ grace_hours: 24 }] });

export const RotatedSecret = z.object({ secret: Secret, old_secret_until: Timestamp.nullable() }).meta({
  id: 'RotatedWebhookSecret',
  examples: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', old_secret_until: '2026-02-01T12:00:00.000Z' }],
});

export const QueuedTest = z
  .object({ delivery_id: Id })
  .meta({ id: 'QueuedWebhookTest', examples: [{ delivery_id: '01900000-0000-7000-8000-000000000001' }] });

export const Recover = z
  .object({
    since: Time.describe('Of events that happened then or later.'),
    until: Time.optional().describe('Of events that happened earlier. Absent: until now.'),
    states: z
      .array(z.enum(['held', 'failed', 'retrying', 'pending']))
      .min(1)
      .default(['held', 'failed'])
      .describe('`pending` with `dry_run` alone: it waits for its first try anyway.'),
    dry_run: z.boolean().default(false).describe('Only counts.'),
  })
  .refine(({ states, dry_run }) => dry_run || !states.includes('pending'), {
    path: ['states'],
    error: 'leave out `pending`, which is sent anyway, or only count it by `dry_run`',
  })
  .meta({ id: 'RecoverWebhooks', examples: [{ since: '2026-01-31T00:00:00.000Z', dry_run: true }] });
export type Recover = z.infer<typeof Recover>;

export const Recovered = z
  .object({
    count: z.int().describe('The number of deliveries that are sent again, or would be.'),
    by_state: z.object({ held: z.int(), failed: z.int(), retrying: z.int(), pending: z.int() }),
    until: Timestamp.describe('The end of the period.'),
    dry_run: z.boolean(),
  })
  .meta({
    id: 'RecoveredWebhooks',
    examples: [
      {
        count: 12,
        by_state: { held: 10, failed: 2, retrying: 0, pending: 0 },
        until: '2026-01-31T12:00:00.000Z',
        dry_run: true,
      },
    ],
  });
