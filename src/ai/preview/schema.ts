import { z } from 'zod';
import { Id, SessionChannel, Timestamp } from '../../schemas/parts.ts';
import { Turn } from '../turns/schema.ts';

const MAX_MESSAGES = 50;
const MAX_TEXT = 10_000;
const MAX_TEXTS = 100_000;
const MAX_STUBS = 50;
const MAX_STUB_CHARACTERS = 64_000;
const MAX_STUBS_CHARACTERS = 256_000;

export const PreviewMessage = z.object({
  sender: z.enum(['contact', 'ai', 'human_agent']),
  text: z.string().max(MAX_TEXT),
  state: z
    .enum(['answered', 'asked'])
    .optional()
    .describe(
      'Of a message of the AI: `asked` if it was no answer. Such turns in a row count for the handoff level. Absent: answered.',
    ),
});
export type PreviewMessage = z.infer<typeof PreviewMessage>;

export const PreviewMessages = z
  .array(PreviewMessage)
  .min(1)
  .max(MAX_MESSAGES)
  .refine((messages) => messages.at(-1)?.sender === 'contact', 'must end with a message of the contact')
  .refine(
    (messages) => messages.reduce((sum, { text }) => sum + text.length, 0) <= MAX_TEXTS,
    'must have at most 100,000 characters in all',
  )
  .describe('The conversation, oldest first. The messages of the contact at its end are answered.');

export const Stub = z.object({
  operation_id: z.string().min(1).max(255),
  status: z.int().min(200).max(599).default(200),
  body: z
    .unknown()
    .refine(
      (body) => (JSON.stringify(body) ?? '').length <= MAX_STUB_CHARACTERS,
      'must have at most 64,000 characters of JSON',
    )
    .optional(),
});
export type Stub = z.infer<typeof Stub>;

export const Stubs = z
  .array(Stub)
  .max(MAX_STUBS)
  .refine(
    (stubs) => JSON.stringify(stubs).length <= MAX_STUBS_CHARACTERS,
    'must have at most 256,000 characters of JSON',
  )
  .describe(
    'What actions answer: no action is really called. Several of one action answer its calls in this order, the last one all further calls.',
  );

export const PreviewTurn = z
  .object({
    messages: PreviewMessages,
    channel: SessionChannel.default('web'),
    contact_id: Id.optional().describe('Whose segments, fields and overrides count.'),
    verified: z.boolean().default(false).describe('Whether the contact’s identity is verified.'),
    stubs: Stubs.default([]),
  })
  .meta({
    id: 'PreviewAutopilot',
    examples: [
      {
        messages: [{ sender: 'contact', text: 'Where is my order A-1?' }],
        channel: 'web',
        stubs: [{ operation_id: 'get_order', status: 200, body: { order: 'A-1', state: 'shipped' } }],
      },
    ],
  });
export type PreviewTurn = z.infer<typeof PreviewTurn>;

const { id, session_id, number, config_version, ...shared } = Turn.shape;

export const PreviewedTurn = z
  .object({
    ...shared,
    id: id.describe('Of the preview. It is stored nowhere but with the calls of models.'),
    session_id: z.null(),
    number,
    config_version: config_version.nullable().describe('null: the draft.'),
    text: z.string().nullable().describe('What the AI would say.'),
    unstubbed: z.array(z.string()).describe('The actions that were called without a stub. To the AI they failed.'),
    due_at: Timestamp,
  })
  .meta({
    id: 'PreviewedTurn',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        session_id: null,
        number: 1,
        state: 'answered',
        reason: null,
        agent: 'extractive-1',
        answers: [],
        message_id: null,
        score: 2.1,
        config_version: null,
        steps: [],
        usage: { input: 0, output: 0, cached: 0 },
        cost: 0,
        citations: [],
        text: 'Here is what our pages say:',
        unstubbed: [],
        due_at: '2026-01-01T10:00:00.000Z',
        started_at: '2026-01-01T10:00:00.000Z',
        ended_at: '2026-01-01T10:00:00.060Z',
        created_at: '2026-01-01T10:00:00.000Z',
      },
    ],
  });
export type PreviewedTurn = z.infer<typeof PreviewedTurn>;
