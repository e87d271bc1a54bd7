import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';
import { InboxSelection } from '../inbox/schema.ts';
import { FilterSessions } from '../search/filter.schema.ts';
import { SessionTags } from '../sessions/actions.schema.ts';
import { SessionStatus } from '../sessions/schema.ts';
import { SNOOZE_FIELDS, saysWhen, WHEN_MISSING } from '../snooze/schema.ts';

const MAX_IDS = 200;

export const BulkAction = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('assign'),
      assignee_id: z
        .int()
        .min(1)
        .nullable()
        .optional()
        .describe('A member’s id. null: nobody. Absent: the team picks.'),
      team_id: Id.nullable().optional().describe('null: none. Absent: it stays.'),
    }),
    z.object({ type: z.literal('set_status'), status: SessionStatus }),
    z.object({ type: z.literal('add_tags'), tags: SessionTags.shape.tags }),
    z.object({ type: z.literal('remove_tag'), tag_name: SessionTags.shape.tags.element }),
    z.object({ type: z.literal('snooze'), ...SNOOZE_FIELDS }),
  ])
  .refine(
    (action) => action.type !== 'assign' || action.assignee_id !== undefined || action.team_id !== undefined,
    'must name assignee_id or team_id',
  )
  .refine((action) => action.type !== 'snooze' || saysWhen(action), WHEN_MISSING)
  .meta({ id: 'BulkAction' });
export type BulkAction = z.infer<typeof BulkAction>;
/** An action as it is stored, with its time as text. */
export type StoredAction = z.input<typeof BulkAction>;

export const ChangeSessions = z
  .object({
    ids: z.array(Id).min(1).max(MAX_IDS).optional().describe('At once, with one result each.'),
    query: FilterSessions.shape.filters
      .unwrap()
      .optional()
      .describe('All sessions that POST /chat/sessions/filter finds with these filters, by a job.'),
    inbox: InboxSelection.optional().describe('All sessions that GET /inbox lists by this query, by a job.'),
    action: BulkAction,
  })
  .refine(
    ({ ids, query, inbox }) => [ids, query, inbox].filter((one) => one !== undefined).length === 1,
    'must have one of ids, query and inbox',
  )
  .meta({
    id: 'ChangeChatSessions',
    examples: [
      { ids: ['01900000-0000-7000-8000-000000000001'], action: { type: 'set_status', status: 'closed_resolved' } },
      { inbox: { view: 'unassigned', tag: 'refund' }, action: { type: 'snooze', until_reply: true } },
      { query: { status: [0], tags: ['refund'] }, action: { type: 'assign', team_id: null, assignee_id: null } },
    ],
  });
export type ChangeSessions = z.infer<typeof ChangeSessions>;

const ItemResult = z.object({ id: Id, error: z.string().optional().describe('Why nothing was changed.') });
export const BulkResults = z.object({ results: z.array(ItemResult) }).meta({ id: 'BulkResults' });
export const StartedJob = z.object({ job_id: Id, total: z.int() }).meta({ id: 'StartedSessionJob' });

export const JobPath = z.object({ id: Id });
export const SessionJob = z
  .object({
    id: Id,
    state: z.enum(['running', 'done']),
    total: z.int(),
    done: z.int().describe('With the refused ones.'),
    failed: z.int().describe('How many were refused.'),
    errors: z.array(ItemResult).describe('The first 100 that were refused.'),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'SessionJob' });
export type JobAnswer = z.output<typeof SessionJob>;
