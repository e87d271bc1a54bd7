import { z } from 'zod';
import { Cursor, Id, Order, Time, Timestamp } from '../../schemas/parts.ts';
import { CONFIRMERS } from '../calls/confirming.rules.ts';
import { CALL_STATES } from '../calls/states.rules.ts';
import { TURN_STATES } from './states.rules.ts';

const Limit = z.coerce.number().int().min(1).max(100).default(25);

export const TurnPath = z.object({ id: Id });
export const ListSessionTurns = z.object({ cursor: Cursor.optional(), limit: Limit });

export const ListTurns = z.object({
  state: z.enum(TURN_STATES).optional(),
  reason: z.string().min(1).max(100).optional(),
  from: Time.optional().describe('Absent, without `to`: the last 30 days.'),
  to: Time.optional(),
  cited_item_id: Id.optional().describe('Finds turns that quoted this item, or pointed at it.'),
  cursor: Cursor.optional(),
  limit: Limit,
  order: Order,
});
export type ListTurns = z.infer<typeof ListTurns>;

const StepTry = z.object({
  model: z.string(),
  problem: z.string().nullable().describe('null: it answered.'),
  latency_ms: z.int(),
});
const StepPassage = z.object({
  item_id: Id,
  chunk: z.int(),
  score: z.number(),
  title: z.string(),
  use: z
    .enum(['public', 'training', 'internal'])
    .optional()
    .describe('What a model may do with it: quote it, take it as support, or only be guided.'),
});
const Dropped = z.object({ text: z.string(), because: z.string() });

/** The stored detail of a step, without texts of the conversation. */
export const StepDetail = z.looseObject({
  tries: z.array(StepTry).catch([]),
  passages: z.array(StepPassage).catch([]),
  call_id: Id.optional().catch(undefined),
  operation_id: z.string().optional().catch(undefined),
});

/** The stored texts of a step. */
export const StepDecision = z.object({
  queries: z.array(z.string()).catch([]),
  dropped: z.array(Dropped).catch([]),
  note: z.string().nullable().catch(null),
});

const TurnCall = z.object({
  id: Id.nullable().describe('null: it never came to the ledger.'),
  operation_id: z.string(),
  state: z.enum([...CALL_STATES, 'refused']).describe('`refused`: it could not be made so.'),
  arguments: z.record(z.string(), z.unknown()).nullable().describe('null once they are redacted.'),
  status: z.int().nullable().describe('The HTTP status of the answer.'),
  response: z.unknown().describe('The answer, cut behind 64 KB. null once it is redacted.'),
  needs: z.enum(CONFIRMERS).nullable().describe('Who must confirm it.'),
  reason: z.string().nullable(),
});

export type TurnCall = z.infer<typeof TurnCall>;

const Step = z.object({
  step: z.int(),
  purpose: z.enum(['gates', 'search', 'plan', 'call', 'answer']),
  latency_ms: z.int(),
  model: z.string().nullable().describe('The model that decided.'),
  usage: z
    .object({ input: z.int(), output: z.int(), cached: z.int(), estimated: z.boolean() })
    .nullable()
    .describe('Tokens, failed tries included. `estimated`: the provider said nothing.'),
  cost: z.number().nullable().describe('By the prices of the settings.'),
  tries: z.array(StepTry).describe('The models that were asked, in order.'),
  searches: z
    .array(z.string())
    .describe('What was searched, or what the plan wants searched. Empty after a redaction.'),
  passages: z.array(StepPassage).describe('What was found, the best first.'),
  calls: z.array(TurnCall).describe('The call of a step `call`.'),
  dropped: z.array(Dropped).describe('What the model wanted to say and was not said. Empty after a redaction.'),
  detail: z
    .record(z.string(), z.unknown())
    .describe(
      'Of `gates`: the result. Of `search`: the score and the threshold. Of `plan`: the actions that were offered and wanted. Of `answer`: its kind.',
    ),
});

const TurnCitation = z.object({
  item_id: Id,
  chunk: z.int().describe('The number of the passage in its item.'),
  url: z.string().nullable(),
  title: z.string(),
  heading: z.string(),
  quote: z.string().nullable().describe('Unchanged from the item. null: the item is only pointed at.'),
  start_offset: z.int().describe('In UTF-16 code units of the item’s text.'),
  end_offset: z.int(),
  hash: z.string().describe('SHA-256 of the passage, in hex.'),
});

export const Turn = z
  .object({
    id: Id,
    session_id: Id,
    number: z.int().describe('Counts the turns of the session from 1.'),
    state: z.enum(TURN_STATES),
    reason: z
      .string()
      .nullable()
      .describe(
        'Of a handoff: user_request, prohibited_topic, missing_knowledge, missing_tool, unclear_instructions, not_helping, action_failed, action_outcome_unknown, identity_required, budget, provider_down, unreadable, no_transport or no_address where nothing can be said to the contact, or ai_failed. Of a skip: acknowledgement, auto_reply, people_have_it, blocked, off, or phone_call if the voice platform answered. Of an answer: may_help if it points at pages, partly if it covers a part of the question, in_progress if a workflow that it has called goes on.',
      ),
    agent: z.string().nullable().describe('Who spoke: `extractive-1`, or the name of a model.'),
    answers: z.array(Id).describe('The messages that it answers.'),
    message_id: Id.nullable().describe('The message that it added.'),
    score: z.number().nullable().describe('The confidence of an answer by quotes.'),
    config_version: z.int().describe('The version of the settings that it used.'),
    steps: z.array(Step),
    usage: z.object({ input: z.int(), output: z.int(), cached: z.int() }).describe('Tokens of all steps.'),
    cost: z.number(),
    citations: z.array(TurnCitation),
    due_at: Timestamp,
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({
    id: 'Turn',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        session_id: '01900000-0000-7000-8000-000000000002',
        number: 1,
        state: 'answered',
        reason: null,
        agent: 'extractive-1',
        answers: ['01900000-0000-7000-8000-000000000003'],
        message_id: '01900000-0000-7000-8000-000000000004',
        score: 2.1,
        config_version: 0,
        steps: [],
        usage: { input: 0, output: 0, cached: 0 },
        cost: 0,
        citations: [],
        due_at: '2026-01-01T10:00:01.500Z',
        started_at: '2026-01-01T10:00:01.520Z',
        ended_at: '2026-01-01T10:00:01.580Z',
        created_at: '2026-01-01T10:00:00.100Z',
      },
    ],
  });

export const TurnPage = z.object({ items: z.array(Turn), next: z.string().nullable() });
