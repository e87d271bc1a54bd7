import { z } from 'zod';
import { AttributeObjects } from '../../contacts/filters/schema.ts';
import { Id, SessionChannel, Time } from '../../schemas/parts.ts';
import { INSIGHT_STATUSES, Insight, Sentiment } from '../schema.ts';

export const INSIGHTS_PER_PAGE = 25;
export const TREND_WEEKS = 8;
const MAX_PAGE = 1_000_000;
const MAX_NUMBER = 2 ** 31 - 1;
const MAX_SEARCH = 500;

const SessionLanguage = z.enum(
  'el de fr it es pt nl da sv no fi et is pl cs sk hu ro bg hr sr uk ru tr en zh ja ko hi id ms th vi tl ar he fa af sw'.split(
    ' ',
  ),
);

/** A time, or a day by UTC. */
const TimeOrDay = z.union([z.iso.date(), Time]);

const DataObjects = AttributeObjects.nullish().describe(
  'The session or its contact has every pair of at least one of the objects. No object is no condition.',
);

export const InsightQuery = z
  .object({
    category: z.string().max(255).nullish().describe('The name of a category.'),
    status: z
      .enum(['all', ...INSIGHT_STATUSES])
      .nullish()
      .describe('Absent or null: all.'),
    sentiment: Sentiment.nullish().describe('Of what customers said about the insight in a session.'),
    ticketSentiment: Sentiment.nullish().describe('Of the session.'),
    sortBy: z
      .enum(['occurrence_count', 'last_seen_at', 'first_seen_at', 'created_at'])
      .nullish()
      .describe('Absent or null: occurrence_count.'),
    sortOrder: z.enum(['asc', 'desc']).nullish().describe('Absent or null: desc.'),
    minSessions: z
      .int()
      .min(1)
      .max(MAX_NUMBER)
      .nullish()
      .describe('The least sessions, of those that match the filter.'),
    search: z.string().max(MAX_SEARCH).nullish().describe('A part of the content, in any case of letters.'),
    teamId: z.union([Id, z.literal('not_assigned')]).nullish(),
    insightNumber: z
      .int()
      .min(1)
      .max(MAX_NUMBER)
      .nullish()
      .describe('Also of an insight that was merged into another one.'),
    sessionLanguage: SessionLanguage.nullish(),
    channel: SessionChannel.nullish(),
    sessionFromDate: TimeOrDay.nullish().describe('Sessions created then or later.'),
    sessionToDate: TimeOrDay.nullish().describe('Sessions created then or earlier. A day is included.'),
    sessionStatus: z.enum(['closed_resolved', 'closed_unresolved', 'open']).nullish(),
    sessionContactId: Id.nullish(),
    ticketCustomData: DataObjects,
    contactCustomData: DataObjects,
    updated_after: Time.nullish().describe('Insights that were changed then or later.'),
    trend: z.boolean().default(false).describe('Answer with `trends` too.'),
    page: z.int().min(1).max(MAX_PAGE).default(1),
  })
  .meta({
    id: 'InsightQuery',
    examples: [
      { status: 'unresolved', channel: 'email', minSessions: 5, sortBy: 'last_seen_at' },
      { search: 'parcel' },
    ],
  });
export type InsightQuery = z.infer<typeof InsightQuery>;

export const InsightPage = z
  .object({
    data: z.array(Insight),
    trends: z
      .array(z.array(z.int()))
      .optional()
      .describe(
        `Of each insight in \`data\`: its sessions that were created in each of the last ${TREND_WEEKS} weeks, the latest week last.`,
      ),
    page: z.int(),
    total: z.int().describe('The number of insights that match.'),
    totalPages: z.int(),
  })
  .meta({ id: 'InsightPage' });
