import { z } from 'zod';
import { PreviewedTurn, PreviewMessages, Stubs } from '../ai/preview/schema.ts';
import { Cursor, Id, Order, SessionChannel, Timestamp } from '../schemas/parts.ts';

const MAX_NAME = 200;
const MAX_ITEMS = 20;
const MAX_TEXT = 1_000;
const MAX_COST = 1_000_000;
const MAX_MS = 120_000;
const MAX_CSV = 1_000_000;

const Name = z.string().trim().min(1).max(MAX_NAME);
const Texts = z.array(z.string().min(1).max(MAX_TEXT)).max(MAX_ITEMS);

export const Checks = z
  .strictObject({
    cites: Texts.optional().describe('Ids or addresses of items. Each must be cited.'),
    calls: z
      .array(
        z.strictObject({
          operation_id: z.string().min(1).max(255),
          called: z.enum(['always', 'never', 'optional']),
        }),
      )
      .max(MAX_ITEMS)
      .optional()
      .describe('Actions that are called, or asked to confirm. Those that are not listed must not be called.'),
    ends: z.enum(['answered', 'asked', 'handed_off', 'skipped']).optional(),
    reason: z.string().max(100).nullable().optional().describe('The reason of the turn. null: none.'),
    contains: Texts.optional().describe('Texts that are said, whatever their case and spaces.'),
    not_contains: Texts.optional(),
    max_cost: z.number().min(0).max(MAX_COST).optional().describe('By the prices of the settings.'),
    max_ms: z.int().min(1).max(MAX_MS).optional(),
  })
  .refine((checks) => Object.values(checks).some((check) => check !== undefined), 'must check something')
  .describe('What the turn has to do. Calls without a stub fail the case in any event.');
export type Checks = z.infer<typeof Checks>;

const CaseFields = {
  name: Name,
  messages: PreviewMessages,
  channel: SessionChannel,
  contact_id: Id.nullable().describe('Whose segments, fields and overrides count.'),
  verified: z.boolean(),
  stubs: Stubs,
  checks: Checks,
};

const EXAMPLE = {
  name: 'Refunds',
  messages: [{ sender: 'contact' as const, text: 'When does my refund arrive?' }],
  checks: { ends: 'answered' as const, contains: ['five working days'] },
};

export const CreateCase = z
  .object({
    ...CaseFields,
    messages: PreviewMessages.optional(),
    channel: SessionChannel.optional().describe('Default: web, or the session’s.'),
    contact_id: Id.optional(),
    verified: z.boolean().optional(),
    stubs: Stubs.optional().describe('Default: none, or what the calls of the session were answered.'),
    session_id: Id.optional().describe('Takes messages, channel and contact from this session.'),
    message_id: Id.optional().describe('The last message to take. It is the contact’s. Absent: their latest.'),
  })
  .meta({ id: 'CreateEvalCase', examples: [EXAMPLE] });
export type CreateCase = z.infer<typeof CreateCase>;

export const UpdateCase = z
  .object({
    name: Name.optional(),
    messages: PreviewMessages.optional(),
    channel: SessionChannel.optional(),
    contact_id: Id.nullable().optional(),
    verified: z.boolean().optional(),
    stubs: Stubs.optional(),
    checks: Checks.optional(),
  })
  .meta({ id: 'UpdateEvalCase', examples: [{ checks: { ends: 'handed_off' } }] });
export type UpdateCase = z.infer<typeof UpdateCase>;

export const ImportCases = z
  .object({
    csv: z
      .string()
      .min(1)
      .max(MAX_CSV)
      .describe(
        'With a header: `name` and `message`, and any of `channel`, `cites`, `ends`, `reason`, `contains`, `not_contains`, `max_cost`, `max_ms`. Several values are separated by |.',
      ),
  })
  .meta({
    id: 'ImportEvalCases',
    examples: [{ csv: 'name,message,ends,contains\nRefunds,When does my refund arrive?,answered,five working days\n' }],
  });

export const EvalCase = z
  .object({
    id: Id,
    ...CaseFields,
    session_id: Id.nullable().describe('The session that it was made of. Its redaction deletes the case.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: 'EvalCase',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        ...EXAMPLE,
        channel: 'web',
        contact_id: null,
        verified: false,
        stubs: [],
        session_id: null,
        created_at: '2026-01-01T10:00:00.000Z',
        updated_at: '2026-01-01T10:00:00.000Z',
      },
    ],
  });

/** Texts of a session in a case that was made of it. */
export const CASE_TEXTS = {
  sessionOf: (_request: unknown, { session_id }: z.infer<typeof EvalCase>) => session_id,
  withoutTexts: ({ messages, ...evalCase }: z.infer<typeof EvalCase>) => ({
    ...evalCase,
    messages: messages.map((message) => ({ ...message, text: '[redacted]' })),
    stubs: [],
  }),
};

export const CasePath = z.object({ id: Id });
export const RunPath = z.object({ id: Id });
export const ResultPath = z.object({ id: Id, caseId: Id });
export const ListPage = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});

export const ListRuns = ListPage.extend({ order: Order });
export type ListRuns = z.infer<typeof ListRuns>;

export const CasePage = z.object({ items: z.array(EvalCase), next: z.string().nullable() });
export const ImportedCases = z
  .object({ imported: z.int() })
  .meta({ id: 'ImportedEvalCases', examples: [{ imported: 2 }] });

export const StartRun = z
  .object({ settings: z.enum(['draft', 'published']).default('draft') })
  .meta({ id: 'StartEvalRun', examples: [{ settings: 'draft' }] });

export const Drift = z.object({
  compared_to: Id.describe('The run before over the same settings.'),
  newly_failing: z.array(Id).describe('The ids of cases that passed then and fail now.'),
  newly_passing: z.array(Id),
});
export type Drift = z.infer<typeof Drift>;

export const EvalRun = z
  .object({
    id: Id,
    settings: z.enum(['draft', 'published']),
    config_version: z.int().nullable().describe('The version of the published settings. null: a draft.'),
    started_by: z.enum(['api', 'nightly']),
    state: z.enum(['running', 'done', 'canceled']),
    cases: z.int(),
    passed: z.int(),
    failed: z.int(),
    pass_share: z.number().nullable().describe('null until it is done.'),
    cost: z.number(),
    drift: Drift.nullable().describe(
      'How results differ from the run before over the same settings: the knowledge, the instructions or the model have changed since. null: there is none.',
    ),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({
    id: 'EvalRun',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        settings: 'draft',
        config_version: null,
        started_by: 'api',
        state: 'done',
        cases: 20,
        passed: 19,
        failed: 1,
        pass_share: 0.95,
        cost: 0.012,
        drift: null,
        created_at: '2026-01-01T10:00:00.000Z',
        ended_at: '2026-01-01T10:01:00.000Z',
      },
    ],
  });

export const RunPage = z.object({ items: z.array(EvalRun), next: z.string().nullable() });

const EvalResult = z.object({
  case_id: Id,
  name: z.string(),
  state: z.enum(['waiting', 'passed', 'failed']),
  checks: z.array(z.object({ check: z.string(), passed: z.boolean(), expected: z.string(), got: z.string() })),
  error: z.string().nullable().describe('Why it could not be run. Such a case fails.'),
  cost: z.number().nullable(),
  latency_ms: z.int().nullable(),
  ended_at: Timestamp.nullable(),
});

export const EvalRunWithResults = EvalRun.extend({ results: z.array(EvalResult) }).meta({
  id: 'EvalRunWithResults',
  examples: [
    {
      id: '01900000-0000-7000-8000-000000000001',
      settings: 'draft',
      config_version: null,
      started_by: 'api',
      state: 'done',
      cases: 1,
      passed: 1,
      failed: 0,
      pass_share: 1,
      cost: 0.001,
      drift: null,
      created_at: '2026-01-01T10:00:00.000Z',
      ended_at: '2026-01-01T10:01:00.000Z',
      results: [
        {
          case_id: '01900000-0000-7000-8000-000000000002',
          name: 'Refunds',
          state: 'passed',
          checks: [{ check: 'ends', passed: true, expected: 'answered', got: 'answered' }],
          error: null,
          cost: 0.001,
          latency_ms: 900,
          ended_at: '2026-01-01T10:00:30.000Z',
        },
      ],
    },
  ],
});

export const EvalResultWithTurn = EvalResult.extend({
  turn: PreviewedTurn.nullable().describe('null: it could not be run, or is redacted.'),
}).meta({
  id: 'EvalResult',
  examples: [
    {
      case_id: '01900000-0000-7000-8000-000000000002',
      name: 'Refunds',
      state: 'failed',
      checks: [],
      error: 'It took longer than 120 seconds',
      cost: null,
      latency_ms: 120_000,
      ended_at: '2026-01-01T10:00:30.000Z',
      turn: null,
    },
  ],
});
