import { z } from 'zod';
import { PERIODS } from '../../reports/periods.rules.ts';
import { Id, SessionChannel, Time, Timestamp } from '../../schemas/parts.ts';

const RANGE = {
  from: Time.optional().describe('Then or later. Absent: 30 days before `to`.'),
  to: Time.optional().describe('Earlier. Absent: now.'),
};
const OF_SESSIONS = {
  channel: SessionChannel.optional().describe('Only sessions on this channel.'),
  team_id: Id.optional().describe('Only sessions that this team has now.'),
};

const GROUP_BY = 'A day, week (from Monday) or month of the org’s time zone, or a property as it is now.';

const SessionKey = z
  .enum([...PERIODS, 'channel', 'team', 'assignee', 'language'])
  .default('day')
  .describe(GROUP_BY);

export const ConversationQuery = z.object({ ...RANGE, ...OF_SESSIONS, group_by: SessionKey });
export type ConversationQuery = z.infer<typeof ConversationQuery>;

export const CsatQuery = z.object({ ...RANGE, ...OF_SESSIONS, group_by: SessionKey });
export type CsatQuery = z.infer<typeof CsatQuery>;

export const SlaQuery = z.object({
  ...RANGE,
  ...OF_SESSIONS,
  policy_id: Id.optional().describe('Only clocks of this policy.'),
  group_by: z
    .enum([...PERIODS, 'policy', 'team', 'channel', 'assignee'])
    .default('day')
    .describe(GROUP_BY),
});
export type SlaQuery = z.infer<typeof SlaQuery>;

export const DeliveryQuery = z.object({
  ...RANGE,
  group_by: z
    .enum([...PERIODS, 'channel', 'provider', 'sequence', 'reason'])
    .default('day')
    .describe(GROUP_BY),
});
export type DeliveryQuery = z.infer<typeof DeliveryQuery>;

export const AutomationQuery = z.object({
  ...RANGE,
  group_by: z
    .enum([...PERIODS, 'workflow', 'trigger_cause'])
    .default('day')
    .describe(GROUP_BY),
});
export type AutomationQuery = z.infer<typeof AutomationQuery>;

export const AiQuery = z.object({
  ...RANGE,
  ...OF_SESSIONS,
  group_by: z
    .enum([...PERIODS, 'channel', 'team'])
    .default('day')
    .describe(GROUP_BY),
});
export type AiQuery = z.infer<typeof AiQuery>;

const Count = z.int();
const Seconds = z.number().nullable();
const Share = z.number().nullable().describe('0 to 1. null: there is nothing to divide by.');

const CONVERSATION_FIGURES = {
  sessions: Count.describe('Opened in the range.'),
  open: Count,
  resolved: Count,
  unresolved: Count,
  handed_off: Count.describe('Handed off at least once.'),
  contact_messages: Count,
  ai_messages: Count,
  agent_messages: Count,
  first_response_p50_seconds: Seconds.describe('From the contact’s first message to the first answer of anybody.'),
  first_response_p90_seconds: Seconds,
  first_reply_p50_seconds: Seconds.describe(
    'To the first message of a person: from the first handoff where the AI had answered before it, else from the contact’s first message, or the handoff if that came first.',
  ),
  first_reply_p90_seconds: Seconds,
  resolution_p50_seconds: Seconds.describe('From the opening to the last closing, of sessions that are closed now.'),
  resolution_p90_seconds: Seconds,
};

const CSAT_FIGURES = {
  scores: Count.describe('Given in the range.'),
  average: z.number().nullable(),
  satisfied: Share.describe('The share of the scores 4 and 5.'),
  score_1: Count,
  score_2: Count,
  score_3: Count,
  score_4: Count,
  score_5: Count,
};

const slaFigures = <const Metric extends string>(metric: Metric) =>
  ({
    [`${metric}_met`]: Count,
    [`${metric}_breached`]: Count,
    [`${metric}_compliance`]: Share,
    [`${metric}_p50_seconds`]: Seconds,
    [`${metric}_p90_seconds`]: Seconds,
    [`${metric}_p95_seconds`]: Seconds,
  }) as Record<`${Metric}_${'met' | 'breached'}`, typeof Count> &
    Record<`${Metric}_compliance`, typeof Share> &
    Record<`${Metric}_p${50 | 90 | 95}_seconds`, typeof Seconds>;

const SLA_FIGURES = { ...slaFigures('first_reply'), ...slaFigures('next_reply'), ...slaFigures('resolution') };

const DELIVERY_FIGURES = {
  deliveries: Count.describe('Created in the range.'),
  waiting: Count.describe('held, queued or sending.'),
  handed_over: Count.describe('Taken by a provider: accepted, sent, delivered, read or bounced.'),
  delivered: Count.describe('delivered or read.'),
  read: Count,
  bounced: Count,
  failed: Count,
  suppressed: Count,
  skipped: Count,
  unknown: Count,
  canceled: Count,
  delivery_rate: Share.describe('The share of `handed_over` that is delivered. Mail servers seldom report it.'),
  bounce_rate: Share.describe('The share of `handed_over` that bounced.'),
};

const AUTOMATION_FIGURES = {
  runs: Count.describe('Created in the range, without test runs.'),
  waiting: Count.describe('idle or in progress.'),
  completed: Count,
  failed: Count,
  canceled: Count,
  failure_rate: Share.describe('The share of ended runs that failed.'),
  duration_p50_seconds: Seconds.describe('Of ended runs, waits included.'),
  duration_p90_seconds: Seconds,
};

const AI_FIGURES = {
  sessions: Count.describe('Opened in the range, with a message of the contact.'),
  answered_by_ai: Count.describe('The AI said something in them.'),
  only_by_ai: Count.describe('The AI said something, no person did, and they were not handed off.'),
  answered_share: Share.describe('`answered_by_ai` of `sessions`.'),
  only_by_ai_share: Share.describe('`only_by_ai` of `sessions`.'),
  resolved_by_ai: Count.describe('How often the AI resolved a session in the range.'),
  came_back: Count.describe('After how many of them the contact wrote again within 72 hours.'),
  came_back_share: Share,
  turns: Count.describe('Begun in the range, without those that a newer message replaced.'),
  turns_answered: Count,
  turns_asked: Count,
  turns_handed_off: Count,
  turns_skipped: Count,
  input_tokens: Count.describe('Of the models’ steps in these turns.'),
  output_tokens: Count,
  cost: z.number().describe('By the prices of the settings at the time.'),
};

const report = <Figures extends z.ZodRawShape>(id: string, figures: Figures, example: object) => {
  const item = z.object({
    key: z.string().nullable().describe('The first day of a period, an id, or a value. null: none.'),
    name: z.string().nullable().describe('The name of what the id identifies.'),
    ...figures,
  });
  const [day, to] = ['2026-01-05', '2026-01-06T00:00:00.000Z'];
  return z
    .object({
      from: Timestamp,
      to: Timestamp,
      group_by: z.string(),
      items: z.array(item).describe('Groups with anything to report, by key.'),
      totals: z.object(figures),
    })
    .meta({
      id,
      examples: [
        {
          from: '2026-01-05T00:00:00.000Z',
          to,
          group_by: 'day',
          items: [{ key: day, name: null, ...example }],
          totals: example,
        },
      ],
    });
};

export const ConversationReport = report('ConversationReport', CONVERSATION_FIGURES, {
  sessions: 3,
  open: 1,
  resolved: 2,
  unresolved: 0,
  handed_off: 1,
  contact_messages: 7,
  ai_messages: 4,
  agent_messages: 2,
  first_response_p50_seconds: 2.1,
  first_response_p90_seconds: 3.4,
  first_reply_p50_seconds: 310,
  first_reply_p90_seconds: 310,
  resolution_p50_seconds: 900,
  resolution_p90_seconds: 1_500,
});

export const CsatReport = report('CsatReport', CSAT_FIGURES, {
  scores: 4,
  average: 4.25,
  satisfied: 0.75,
  score_1: 0,
  score_2: 0,
  score_3: 1,
  score_4: 1,
  score_5: 2,
});

const slaExample = (metric: string) => ({
  [`${metric}_met`]: 9,
  [`${metric}_breached`]: 1,
  [`${metric}_compliance`]: 0.9,
  [`${metric}_p50_seconds`]: 120,
  [`${metric}_p90_seconds`]: 640,
  [`${metric}_p95_seconds`]: 900,
});

export const SlaReport = report('SlaReport', SLA_FIGURES, {
  ...slaExample('first_reply'),
  ...slaExample('next_reply'),
  ...slaExample('resolution'),
});

export const DeliveryReport = report('DeliveryReport', DELIVERY_FIGURES, {
  deliveries: 100,
  waiting: 2,
  handed_over: 95,
  delivered: 90,
  read: 40,
  bounced: 1,
  failed: 1,
  suppressed: 1,
  skipped: 1,
  unknown: 0,
  canceled: 0,
  delivery_rate: 0.947,
  bounce_rate: 0.011,
});

export const AutomationReport = report('AutomationReport', AUTOMATION_FIGURES, {
  runs: 20,
  waiting: 1,
  completed: 18,
  failed: 1,
  canceled: 0,
  failure_rate: 0.053,
  duration_p50_seconds: 1.2,
  duration_p90_seconds: 4.8,
});

export const AiReport = report('AiReport', AI_FIGURES, {
  sessions: 10,
  answered_by_ai: 8,
  only_by_ai: 6,
  answered_share: 0.8,
  only_by_ai_share: 0.6,
  resolved_by_ai: 4,
  came_back: 1,
  came_back_share: 0.25,
  turns: 14,
  turns_answered: 10,
  turns_asked: 1,
  turns_handed_off: 2,
  turns_skipped: 1,
  input_tokens: 21_000,
  output_tokens: 1_900,
  cost: 0.04,
});
