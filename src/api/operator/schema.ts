import { z } from 'zod';
import { OPERATOR_ACTIONS } from '../../operations/operator/actions.rules.ts';
import { CONDITION_KINDS } from '../../overview/attention/conditions.ts';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';

const Text = z.string().nullable();
const Count = z.int().min(0);
const Counted = Count.describe('Counted to 10,000.');
/** Any id that the database can have. */
const EventId = z.string().regex(/^\d{1,18}$/, 'must be the id of an event');

export const ListOrgs = z.object({
  cursor: Id.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export const OrgList = z.object({
  items: z.array(
    z.object({
      id: Id,
      name: z.string(),
      partner_id: Id,
      created_at: Timestamp,
      members: Count,
      contacts: Count,
      open_sessions: Count,
      active_sequences: Count,
      active_workflows: Count,
      queued_runs: Count,
      outbox: Count,
    }),
  ),
  next: Text,
});

export const Outbox = z.object({
  waiting: Counted,
  oldest_seconds: z.number().nullable(),
  failing: Counted,
  parked: Counted,
  items: z.array(
    z.object({
      id: z.string(),
      org_id: Id,
      kind: z.string(),
      type: z.string(),
      subject_id: Id,
      workflow_id: Text,
      attempts: Count,
      reason: Text,
      created_at: Timestamp,
      next_try_at: Timestamp,
    }),
  ),
});

export const ListParked = z.object({
  cursor: EventId.default('0'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export const ParkedList = z.object({
  items: z.array(
    z.object({ id: z.string(), org_id: Id, type: z.string(), subject_id: Id, reason: Text, created_at: Timestamp }),
  ),
  next: Text,
});
export const ParkedRef = z.object({ id: EventId });
export const Released = z.object({ id: z.string(), released: z.literal(true) });

export const Queues = z.object({
  state: z.enum(['ok', 'away']),
  items: z.array(
    z.object({
      queue: z.string(),
      tasks: z.enum(['workflow', 'activity']),
      pollers: z.array(z.object({ identity: z.string(), last_seen_at: Timestamp.nullable() })),
      backlog: Count,
      backlog_age_seconds: z.number(),
      added_per_second: z.number(),
      dispatched_per_second: z.number(),
      url: Text,
    }),
  ),
});

export const Providers = z.object({
  items: z.array(z.object({ kind: z.string(), provider: z.string(), connected: Count, failing: Count })),
});

export const Incidents = z.object({
  items: z.array(
    z.object({
      kind: z.enum(CONDITION_KINDS),
      org_id: Id,
      ref: z.string(),
      since: Timestamp.nullable(),
      count: Count,
      reason: Text,
    }),
  ),
});

export const ListActions = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export const ActionList = z.object({
  items: z.array(
    z.object({
      id: Id,
      at: Timestamp,
      operator: z.object({ id: Text, name: Text, via: z.enum(['key', 'session', 'command']) }),
      action: z.enum(OPERATOR_ACTIONS),
      ref: Text.describe('The id of the event, key, partner or org that it is about.'),
      detail: Text.describe('The reason of a pause, the type of an event, or a name.'),
    }),
  ),
  next: Text,
});

export const Limits = z.object({
  items: z.array(
    z.object({
      kind: z.enum(['bytes_written', 'ai_budget', 'active_runs']),
      owner: z.string(),
      used: z.number().nullable(),
      limit: z.number().nullable(),
      since: Timestamp.nullable(),
    }),
  ),
});

export const Reconcile = z.strictObject({ dry_run: z.literal(true) });
export const Reconciled = z.object({
  items: z.array(z.object({ kind: z.string(), org_id: Id, id: z.string(), temporal: z.string(), url: Text })),
  left_out: Count,
});

export const Sending = z.object({
  state: z.enum(['running', 'paused']),
  reason: Text,
  paused_at: Timestamp.nullable(),
});
export const ChangeSending = z.strictObject({
  state: z.enum(['running', 'paused']),
  reason: z.string().min(1).max(500).optional(),
});

export const State = z.object({
  operator: z.object({ name: z.string(), via: z.enum(['key', 'session']), expires_at: Timestamp.nullable() }),
  version: z.string(),
  status: z.enum(['ok', 'degraded', 'away', 'stopping']),
  reasons: z.record(z.string(), z.string()),
  sending: Sending,
  links: z
    .array(z.object({ kind: z.string(), url: z.string() }))
    .describe('Running workflows of a kind in the Temporal UI.'),
});
