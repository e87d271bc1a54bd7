import { z } from 'zod';
import { Cursor, Id, Order, Timestamp } from '../../schemas/parts.ts';
import { CONFIRMATION_REASONS, CONFIRMERS } from './confirming.rules.ts';
import { CALL_STATES } from './states.rules.ts';

const MAX_NOTE = 5_000;

export const CallPath = z.object({ id: Id });

export const ListCalls = z.object({
  state: z.enum(CALL_STATES).optional(),
  session_id: Id.optional(),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
  order: Order,
});
export type ListCalls = z.infer<typeof ListCalls>;

export const SettleCall = z
  .object({
    outcome: z.enum(['done', 'not_done']).describe('What you have found out where the action has its effects.'),
    note: z.string().min(1).max(MAX_NOTE).describe('How you know it.'),
  })
  .meta({ id: 'SettleCall', examples: [{ outcome: 'done', note: 'The refund is in the shop’s list.' }] });
export type SettleCall = z.infer<typeof SettleCall>;

export const Call = z
  .object({
    id: Id.describe('Also the Idempotency-Key of an action’s request, or the id of a workflow’s run.'),
    session_id: Id,
    turn_id: Id.describe('The turn that proposed it.'),
    action_id: Id.nullable().describe('null for a call of a workflow.'),
    workflow_id: Id.nullable().describe('null for a call of an action.'),
    operation_id: z.string(),
    name: z.string().describe('The action’s name when it was proposed.'),
    arguments: z.record(z.string(), z.unknown()).nullable().describe('By place. null once they are redacted.'),
    state: z
      .enum(CALL_STATES)
      .describe(
        '`running`: it is under way; a workflow may take long. `failed`: it surely did not happen. `unknown`: it may have happened, and is not sent again; settle it.',
      ),
    needs: z.enum(CONFIRMERS).nullable().describe('Who must confirm it. null: nobody.'),
    needs_because: z.enum(CONFIRMATION_REASONS).nullable(),
    confirmed_by: z.enum(['link', 'widget', 'message', 'agent']).nullable().describe('Who decided, and how.'),
    expires_at: Timestamp.nullable().describe('The end of the time to confirm it.'),
    tries: z.int().describe('The number of requests.'),
    status: z.int().nullable().describe('The HTTP status of the answer.'),
    response: z
      .unknown()
      .describe('The answer, cut behind 64 KB, or the outputs of a workflow’s steps. null once it is redacted.'),
    reason: z.string().nullable().describe('Why it did not work, or the note of whoever settled it.'),
    decided_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({
    id: 'AutopilotCall',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        session_id: '01900000-0000-7000-8000-000000000002',
        turn_id: '01900000-0000-7000-8000-000000000003',
        action_id: '01900000-0000-7000-8000-000000000004',
        workflow_id: null,
        operation_id: 'refund_order',
        name: 'Refund an order',
        arguments: { body_params: { order: 'A-1', amount: 20 } },
        state: 'unknown',
        needs: 'customer',
        needs_because: 'always',
        confirmed_by: 'link',
        expires_at: '2026-01-02T10:00:00.000Z',
        tries: 1,
        status: 502,
        response: 'Bad Gateway',
        reason: 'It answered 502',
        decided_at: '2026-01-01T11:00:00.000Z',
        started_at: '2026-01-01T11:00:00.200Z',
        ended_at: '2026-01-01T11:00:00.900Z',
        created_at: '2026-01-01T10:00:00.000Z',
      },
    ],
  });

/** Texts of a session in a Call. */
export const CALL_TEXTS = {
  sessionOf: (_request: unknown, call: z.infer<typeof Call>) => call.session_id,
  withoutTexts: (call: z.infer<typeof Call>) => ({ ...call, arguments: null, response: null, reason: null }),
};

export const CallPage = z.object({ items: z.array(Call), next: z.string().nullable() });
