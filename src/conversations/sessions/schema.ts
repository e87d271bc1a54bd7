import { z } from 'zod';
import { CustomDataChange } from '../../contacts/schema.ts';
import { ifMatchOf } from '../../schemas/if-match.ts';
import { Id, RANGE, SessionChannel, Timestamp } from '../../schemas/parts.ts';

const MAX_PAYLOAD_CHARACTERS = 100_000;
const MAX_CUSTOM_STATUS = 32_767;

export const SessionStatus = z.enum(['open', 'closed_resolved', 'closed_unresolved']);
export type SessionStatus = z.infer<typeof SessionStatus>;

const StringMap = z.record(z.string(), z.string());

export const CreateSession = z
  .object({
    contact_id: Id.optional(),
    channel: z.object({ type: SessionChannel }).default({ type: 'api' }),
    verified: z.boolean().nullable().optional(),
  })
  .meta({ id: 'CreateChatSession', examples: [{ channel: { type: 'api' } }] });
export type CreateSession = z.infer<typeof CreateSession>;

export const CreatedSession = z.object({ id: Id }).meta({ id: 'CreatedChatSession' });

export const UpdateSession = z
  .object({
    status: SessionStatus.optional(),
    custom_status_id: z
      .int()
      .min(3)
      .max(MAX_CUSTOM_STATUS)
      .nullable()
      .optional()
      .describe('One of session_statuses in the org’s settings. null: none. A new `status` ends it.'),
    generate_summary_and_sentiment_on_resolve: z
      .boolean()
      .optional()
      .describe('Whether the session gets a summary if this request resolves it. Absent: as the org’s setting says.'),
    reflect_status_change_for_integration: z
      .boolean()
      .default(true)
      .describe('Whether the CRM’s ticket follows: resolving closes it, and opening a closed session reopens it.'),
    session_closed_payload: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .refine(
        (payload) => JSON.stringify(payload).length <= MAX_PAYLOAD_CHARACTERS,
        'must have at most 100,000 characters',
      )
      .optional()
      .describe('An object or a text. Stored until the session is opened again, and sent with ticket-resolved.'),
    custom_data: CustomDataChange.optional(),
    editable_custom_data: CustomDataChange.optional(),
  })
  .meta({
    id: 'UpdateChatSession',
    examples: [
      { status: 'closed_resolved', session_closed_payload: { cause: 'refunded' } },
      { custom_data: { order: '17' } },
    ],
  });
export type UpdateSession = z.infer<typeof UpdateSession>;

export const IfMatch = ifMatchOf('session');

export const CustomStatuses = z.object({
  items: z.array(z.object({ id: z.int(), name: z.string() }).meta({ id: 'CustomSessionStatus' })),
  next: z.null(),
});

export const SessionPath = z.object({ id: Id });

export const ListSessions = z.object({
  ...RANGE,
  handed_off: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  status: SessionStatus.optional(),
  channel_type: SessionChannel.optional(),
});
export type ListSessions = z.infer<typeof ListSessions>;

export const AnsweredBy = z
  .enum(['ai', 'people', 'nobody'])
  .describe(
    '`ai`: it may answer by itself. `people`: the session has an assignee, or another system’s people have it.',
  );
export type AnsweredBy = z.infer<typeof AnsweredBy>;

export const AiState = z
  .enum(['on', 'off', 'paused'])
  .describe('paused: people have the session. off: autopilot is off on its channel.');
export type AiState = z.infer<typeof AiState>;

const HandoffPart = z
  .object({
    part: z.string().describe('Such as ticket.'),
    state: z
      .enum(['pending', 'running', 'parked', 'done', 'skipped', 'failed', 'settled'])
      .describe(
        'parked: retried automatically at next_try_at. failed: refused permanently, until it is retried or settled.',
      ),
    external_id: z.string().nullable().describe('The id in the ticketing system.'),
    error: z.string().nullable(),
    attempts: z.int(),
    next_try_at: z.string().nullable(),
  })
  .meta({ id: 'HandoffPart' });

export const HandoffAnswer = z
  .object({
    summary: z.string().nullable(),
    summary_by: z.string().nullish().describe('Who wrote the summary: `extractive-1`, or a model.'),
    sentiment: z.string().nullable(),
    reason: z.string().nullable(),
    at: z.string(),
    state: z.enum(['pending', 'partial', 'done']).describe('The progress in the ticketing system.'),
    parts: z.array(HandoffPart).optional(),
    waits_for: z.string().optional().describe('What it waits for before it can begin, and what to do.'),
    note: z.string().optional().describe('Why nothing is handed over to a connected system.'),
  })
  .meta({ id: 'Handoff' });

/** What a session is in another system. */
const TicketingSystem = z.object({
  name: z.string(),
  external_id: z.string(),
  id_type: z
    .enum(['conversation_id', 'ticket_id', 'case_id', 'conversation_sid'])
    .describe('What `external_id` identifies there.'),
});
export type TicketingSystem = z.infer<typeof TicketingSystem>;

export const Session = z
  .object({
    id: Id,
    ticket_number: z.int(),
    status: SessionStatus,
    custom_status_id: z.int().nullable(),
    ai_closure_type: z.enum(['assumed_resolved', 'handed_off', 'resolved']).nullable(),
    sentiment: z.enum(['angry', 'happy', 'neutral']).nullable(),
    channel: z.object({ type: SessionChannel }),
    assist_mode: z.boolean(),
    verified: z.boolean().nullable(),
    waiting_on: z.enum(['customers', 'human_agents']).nullable().describe('null until somebody has spoken.'),
    language: z.string().nullable(),
    assignee_id: z.int().nullable(),
    answered_by: AnsweredBy,
    ai: z
      .object({
        state: AiState,
        turn_id: z.string().nullable().describe('The turn under way. null: none.'),
        label: z.string().nullable().describe('What the turn does, for people who wait.'),
      })
      .describe('Whether the AI may speak, and what it does.'),
    can_send: z
      .object({ ok: z.boolean(), reason: z.string().nullable() })
      .describe(
        'Whether an agent’s message can reach the contact on the channel, and why it cannot. A sender that is missing or refused shows when something is sent.',
      ),
    waiting_since: Timestamp.nullable().describe('Since when the contact waits for a reply. null: it does not wait.'),
    read_up_to: Id.nullable().describe(
      'The last item of the history that the calling member has read. null: nothing, or the caller is an API key.',
    ),
    team: z.object({ id: Id, name: z.string() }).nullable(),
    tags: z.array(z.string()),
    contact: z
      .object({
        id: Id,
        name: z.string().nullable(),
        email: z.string().nullable(),
        phone_number: z.string().nullable(),
        custom_data: StringMap,
      })
      .nullable(),
    custom_data: StringMap,
    editable_custom_data: StringMap,
    summary: z.string().nullable().describe('What was said, if it was resolved with a summary.'),
    summary_by: z.string().nullable().describe('Who wrote the summary: `extractive-1`, or a model.'),
    handoff: HandoffAnswer.nullable(),
    ticketing_system: TicketingSystem.nullable(),
    snoozed_at: Timestamp.nullable().describe('When it was put aside. null: it is not snoozed.'),
    snoozed_until: Timestamp.nullable().describe(
      'When its snooze ends. null: when the contact writes, or it is not snoozed.',
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_message_at: Timestamp.nullable(),
  })
  .meta({ id: 'ChatSession' });
export type Session = z.infer<typeof Session>;

export const SessionPage = z.object({ items: z.array(Session), next: z.string().nullable() });
