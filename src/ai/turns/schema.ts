import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../http/schemas.ts';
import { TURN_STATES } from './states.rules.ts';

const Limit = z.coerce.number().int().min(1).max(100).default(25);

export const TurnPath = z.object({ id: Id });
export const ListSessionTurns = z.object({ cursor: Cursor.optional(), limit: Limit });

export const ListTurns = z.object({
  state: z.enum(TURN_STATES).optional(),
  reason: z.string().min(1).max(100).optional(),
  from: z.iso.datetime({ offset: true }).optional().describe('Absent, without `to`: the last 30 days.'),
  to: z.iso.datetime({ offset: true }).optional(),
  cited_item_id: Id.optional().describe('Finds turns that quoted this item, or pointed at it.'),
  cursor: Cursor.optional(),
  limit: Limit,
});
export type ListTurns = z.infer<typeof ListTurns>;

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
  dropped: z
    .array(z.object({ text: z.string(), because: z.string() }))
    .describe('What the model wanted to say and was not said. Empty after a redaction.'),
  detail: z
    .record(z.string(), z.unknown())
    .describe(
      'Of `gates`: the result. Of `search`: the score, the threshold, and the passages with their scores. Of `plan` and `answer`: the tries, and the passages that the model was shown.',
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
        'Of a handoff: user_request, prohibited_topic, missing_knowledge, missing_tool, unclear_instructions, not_helping, action_failed, action_outcome_unknown, identity_required, budget, provider_down, unreadable or ai_failed. Of a skip: acknowledgement, people_have_it, blocked or off. Of an answer: may_help if it points at pages, partly if it covers a part of the question, in_progress if a workflow that it has called goes on.',
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
        id: '01920000-0000-7000-8000-000000000001',
        session_id: '01920000-0000-7000-8000-000000000002',
        number: 1,
        state: 'answered',
        reason: null,
        agent: 'extractive-1',
        answers: ['01920000-0000-7000-8000-000000000003'],
        message_id: '01920000-0000-7000-8000-000000000004',
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
