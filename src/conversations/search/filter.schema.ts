import { z } from 'zod';
import { AttributeObjects } from '../../contacts/filters/schema.ts';
import { Language, SessionChannel } from '../../schemas/parts.ts';
import { Session } from '../sessions/schema.ts';

const MAX_VALUES = 1_000;
const MAX_TAGS = 100;
/** The maximum number of sessions before a page. The cost of a page grows with them. */
const MAX_OFFSET = 100_000;

const UtcTimestamp = z.iso
  .datetime({ error: 'must be an ISO 8601 date-time in UTC that ends in Z, such as 2026-01-31T12:00:00Z' })
  .optional();
const TextList = z.array(z.string().max(255)).max(MAX_VALUES).optional();

const Filters = z.object({
  date: z
    .object({
      from: UtcTimestamp.describe('Created then or later.'),
      to: UtcTimestamp.describe('Created then or earlier.'),
    })
    .optional(),
  channels: z.array(SessionChannel).max(MAX_VALUES).optional(),
  status: z
    .array(z.int().min(0))
    .max(MAX_VALUES)
    .optional()
    .describe('0 open, 1 closed_resolved, 2 closed_unresolved, or one of session_statuses in the org’s settings.'),
  ai_closure: z.array(Session.shape.ai_closure_type.unwrap()).max(MAX_VALUES).optional(),
  sentiment: z.array(Session.shape.sentiment.unwrap()).max(MAX_VALUES).optional(),
  assignees: z.array(z.int()).max(MAX_VALUES).optional().describe('Ids of members. An empty list: unassigned.'),
  team_ids: TextList,
  contact_ids: TextList,
  ticket_number: z.int().optional(),
  language: z.array(Language).max(MAX_VALUES).optional(),
  tags: z
    .array(z.string().max(255))
    .max(MAX_TAGS)
    .optional()
    .describe('The session has all of them. Names in any spelling.'),
  waiting_on: Session.shape.waiting_on.unwrap().optional(),
  custom_data: AttributeObjects.optional().describe('The session has every pair of at least one of the objects.'),
});

export const FilterSessions = z
  .object({
    filters: Filters.default({}),
    sort_by: z.enum(['last_message_at', 'created_at']).default('last_message_at'),
    sort_order: z.enum(['asc', 'desc']).default('desc'),
    page: z
      .int()
      .min(1)
      .max(MAX_OFFSET + 1)
      .default(1),
    limit: z.int().min(1).max(100).default(25),
  })
  .refine(({ page, limit }) => (page - 1) * limit <= MAX_OFFSET, {
    path: ['page'],
    error: `must not lie behind more than ${MAX_OFFSET} sessions: narrow the filter, by date for one`,
  })
  .meta({
    id: 'FilterSessions',
    examples: [
      { filters: { status: [0], assignees: [], waiting_on: 'human_agents' }, limit: 50 },
      { filters: { channels: ['email'], tags: ['refund'] }, sort_by: 'created_at', sort_order: 'asc' },
    ],
  });
export type FilterSessions = z.infer<typeof FilterSessions>;
export type SessionFilters = FilterSessions['filters'];

export const FilteredSessions = z
  .object({
    data: z.array(Session),
    page: z.int(),
    limit: z.int(),
    has_next: z.boolean(),
    has_previous: z.boolean(),
  })
  .meta({ id: 'FilteredChatSessions' });
