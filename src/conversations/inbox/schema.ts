import { z } from 'zod';
import { Cursor, Id, SessionChannel, Timestamp } from '../../schemas/parts.ts';
import { SearchSessions } from '../search/schema.ts';
import { AnsweredBy, SessionStatus } from '../sessions/schema.ts';

const MAX_NAME = 200;
const MAX_VIEWS_COUNTED = 30;
/** The rows of a page unless a request says otherwise. */
export const PAGE_SIZE = 50;

/** Some of the values, separated by commas. */
const someOf = (values: readonly string[]) => {
  const one = `(?:${values.join('|')})`;
  return z.string().regex(new RegExp(`^${one}(?:,${one}){0,${values.length - 1}}$`), {
    error: `must be one or more of ${values.join(', ')}, separated by commas`,
  });
};

/** Stored with views as it was given. */
const Moment = z.iso.datetime({
  offset: true,
  error: 'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z',
});

export const INBOX_ORDERS = ['newest', 'waiting', 'sla', 'created'] as const;
export type InboxOrder = (typeof INBOX_ORDERS)[number];

const filters = {
  status: z
    .enum(['open', 'closed', 'snoozed', 'all'])
    .optional()
    .describe('Absent: all. Snoozed sessions are not open here.'),
  assignee: z
    .string()
    .regex(/^(?:me|none|[0-9]{1,15})$/, 'must be me, none or the id of a member')
    .optional()
    .describe('`me` is the member who is signed in.'),
  team: z.union([Id, z.literal('none')]).optional(),
  channel: someOf(SessionChannel.options).optional(),
  tag: z.string().min(1).max(MAX_NAME).optional().describe('A tag of the session, in any spelling.'),
  waiting_on: z.enum(['customers', 'human_agents']).optional(),
  answered_by: someOf(AnsweredBy.options).optional(),
  sla: someOf(['warning', 'breached']).optional().describe('The state of its next target.'),
  unread: z.enum(['true', 'false']).optional().describe('As the member who is signed in has read it.'),
  contact_id: Id.optional(),
  created_after: Moment.optional().describe('Created then or later.'),
  created_before: Moment.optional().describe('Created earlier.'),
  q: SearchSessions.shape.q
    .optional()
    .describe(
      'A ticket number such as #12, or words in the contact’s name or addresses, or in the newest 500 messages that have them.',
    ),
  order: z
    .enum(INBOX_ORDERS)
    .optional()
    .describe(
      'newest (unless given): by last message. waiting: who waits longest first. sla: the next target first. created: the newest session first.',
    ),
};

/** The filters and the order of a list, as in its query. */
export const InboxFilters = z.object(filters).meta({ id: 'InboxFilters' });
export type InboxFilters = z.infer<typeof InboxFilters>;

const ViewRef = z
  .string()
  .max(36)
  .describe('The id of a view of GET /views. Filters that are given besides replace those of the view.');

/** The sessions of a view or of filters, as in the query of GET /inbox. */
export const InboxSelection = z.object({ view: ViewRef.optional(), ...filters }).meta({ id: 'InboxSelection' });
export type InboxSelection = z.infer<typeof InboxSelection>;

export const ListInbox = z.object({
  ...InboxSelection.shape,
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(PAGE_SIZE),
});
export type ListInbox = z.infer<typeof ListInbox>;

export const SLA_METRICS = ['first_reply', 'next_reply', 'resolution'] as const;

const Named = z.object({ id: Id, name: z.string() });

export const InboxRow = z
  .object({
    id: Id,
    ticket_number: z.int(),
    status: SessionStatus,
    custom_status: z.object({ id: z.int(), name: z.string().nullable() }).nullable(),
    channel: SessionChannel,
    contact: z
      .object({
        id: Id,
        name: z.string().nullable(),
        email: z.string().nullable(),
        phone_number: z.string().nullable(),
      })
      .nullable(),
    answered_by: AnsweredBy,
    assignee: z.object({ id: z.int(), name: z.string() }).nullable(),
    team: Named.nullable(),
    tags: z.array(z.string()),
    waiting_on: z.enum(['customers', 'human_agents']).nullable(),
    waiting_since: Timestamp.nullable(),
    snoozed_at: Timestamp.nullable(),
    snoozed_until: Timestamp.nullable(),
    last_message: z
      .object({
        at: Timestamp,
        sender: z.enum(['contact', 'ai', 'human_agent', 'system', 'workflow']),
        text: z.string().nullable().describe('Its first 160 characters. null once it is redacted.'),
      })
      .nullable(),
    unread: z.boolean().nullable().describe('For the member who is signed in. null for an API key.'),
    sla: z
      .object({
        metric: z.enum(SLA_METRICS),
        due_at: Timestamp,
        state: z.enum(['running', 'warning', 'breached']),
      })
      .nullable()
      .describe('The target that is due next. null: no clock runs.'),
    confirmations: z.int().describe('The calls of the AI that wait for a confirmation.'),
    handoff_state: z.enum(['pending', 'partial', 'done']).nullable().describe('null: it is not handed off.'),
    sentiment: z.enum(['angry', 'happy', 'neutral']).nullable(),
    language: z.string().nullable(),
    updated_at: Timestamp,
  })
  .meta({ id: 'InboxRow' });
export type InboxRow = z.output<typeof InboxRow>;

export const InboxPage = z.object({
  items: z.array(InboxRow),
  next: z.string().nullable(),
  as_of: Timestamp.describe('When the list was read.'),
});

export const CountInbox = z.object({
  views: z
    .string()
    .regex(
      new RegExp(`^[a-z0-9-]{1,36}(?:,[a-z0-9-]{1,36}){0,${MAX_VIEWS_COUNTED - 1}}$`),
      `must be the ids of 1 to ${MAX_VIEWS_COUNTED} views, separated by commas`,
    )
    .describe('The ids of views of GET /views, separated by commas.'),
});

const Count = z.object({
  total: z.int(),
  unread: z.int().nullable().describe('For the member who is signed in. null for an API key.'),
  breached: z.int(),
});

export const InboxCounts = z
  .object({
    counts: z.record(z.string(), Count).describe('By the id of the view. Each number is counted to 1,000 at most.'),
    as_of: Timestamp,
  })
  .meta({
    id: 'InboxCounts',
    examples: [{ counts: { unassigned: { total: 17, unread: 2, breached: 0 } }, as_of: '2026-03-01T21:00:00.000Z' }],
  });
