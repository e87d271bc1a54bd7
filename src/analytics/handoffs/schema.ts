import { z } from 'zod';
import { keysOf } from '../../collections/checked-access.ts';
import { Cursor, Id, Order, SessionChannel, Time, Timestamp } from '../../schemas/parts.ts';
import { HANDOFF_REASONS } from './reasons.rules.ts';

const REASONS = keysOf(HANDOFF_REASONS);

const Reason = z.enum(REASONS).meta({
  id: 'HandoffReason',
  description: REASONS.map((reason) => `\`${reason}\`: ${HANDOFF_REASONS[reason]}`).join(' '),
});

const Sentiment = z
  .string()
  .describe(
    'What a model says of the handoff: `angry`, `happy` or `neutral`. `unknown`: no model said anything, it is redacted, or the session was returned to the AI.',
  );

const HANDOFFS = {
  start_date: Time.optional().describe('Then or later: an ISO 8601 date-time. Absent: 30 days before `end_date`.'),
  end_date: Time.optional().describe('Earlier: an ISO 8601 date-time. Absent: now.'),
  channel: SessionChannel.optional().describe('Only sessions on this channel.'),
  team_id: Id.optional().describe('Only sessions that this team has now.'),
};

export const HandoffQuery = z.object(HANDOFFS);
export type HandoffQuery = z.infer<typeof HandoffQuery>;

export const HandoffEventsQuery = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  order: Order,
  reason: Reason.optional().describe('Only handoffs with this reason.'),
  ...HANDOFFS,
});
export type HandoffEventsQuery = z.infer<typeof HandoffEventsQuery>;

const Count = z.int();
const Percentage = z.number().describe('0 to 100 of `total_handoffs`, with two decimals.');
const Share = { count: Count, percentage: Percentage };

export const HandoffReport = z
  .object({
    summary: z.string().describe('The figures in a sentence. No model writes it.'),
    total_handoffs: Count.describe('The handoffs in the range.'),
    total_sessions: Count.describe('Their sessions. A session handed off twice counts once.'),
    start_date: Timestamp,
    end_date: Timestamp,
    reasons: z.array(z.object({ reason: Reason, ...Share })).describe('The most frequent first.'),
    reason_combinations: z
      .array(
        z.object({
          reasons: z.array(Reason),
          session_count: Count,
          percentage: z.number().describe('0 to 100 of `total_sessions`, with two decimals.'),
        }),
      )
      .describe('Sessions by the different reasons of their handoffs in the range. A handoff has one reason.'),
    sentiments: z.array(z.object({ sentiment: Sentiment, ...Share })),
    channels: z.array(z.object({ channel: SessionChannel, ...Share })),
    trends: z
      .array(z.object({ date: z.string(), count: Count }))
      .describe('The days of the org’s time zone with a handoff.'),
  })
  .meta({
    id: 'HandoffReport',
    examples: [
      {
        summary: '3 handoffs of 2 sessions. Most frequent reasons: insufficient_knowledge (66.67 %), other (33.33 %).',
        total_handoffs: 3,
        total_sessions: 2,
        start_date: '2026-01-01T00:00:00.000Z',
        end_date: '2026-01-31T00:00:00.000Z',
        reasons: [
          { reason: 'insufficient_knowledge', count: 2, percentage: 66.67 },
          { reason: 'other', count: 1, percentage: 33.33 },
        ],
        reason_combinations: [
          { reasons: ['insufficient_knowledge'], session_count: 1, percentage: 50 },
          { reasons: ['insufficient_knowledge', 'other'], session_count: 1, percentage: 50 },
        ],
        sentiments: [
          { sentiment: 'angry', count: 2, percentage: 66.67 },
          { sentiment: 'unknown', count: 1, percentage: 33.33 },
        ],
        channels: [{ channel: 'web', count: 3, percentage: 100 }],
        trends: [
          { date: '2026-01-05', count: 2 },
          { date: '2026-01-07', count: 1 },
        ],
      },
    ],
  });

const HandoffEvent = z
  .object({
    id: Id.describe('Also the id of the event `handoff` in the session’s history.'),
    session_id: Id,
    channel: SessionChannel,
    summary: z
      .string()
      .nullable()
      .describe('Of the conversation until then. null: it is redacted, or the session was returned to the AI.'),
    explanation: z
      .string()
      .nullable()
      .describe('The words of whoever handed it off, or the meaning of the AI’s reason. null: none was given.'),
    reasons: z.array(Reason).describe('One reason.'),
    sentiment: Sentiment,
    created_at: Timestamp,
  })
  .meta({ id: 'HandoffEvent' });

export const HandoffEventPage = z
  .object({
    items: z.array(HandoffEvent).describe('Oldest first.'),
    next: z.string().nullable(),
    total: Count.describe('The handoffs on all pages.'),
  })
  .meta({
    id: 'HandoffEventPage',
    examples: [
      {
        items: [
          {
            id: '00000000-0000-4000-8000-000000000000',
            session_id: '00000000-0000-4000-8000-000000000001',
            channel: 'web',
            summary: 'The contact wants a refund.',
            explanation: 'The AI had no answer.',
            reasons: ['insufficient_knowledge'],
            sentiment: 'angry',
            created_at: '2026-01-05T12:00:00.000Z',
          },
        ],
        next: null,
        total: 1,
      },
    ],
  });
