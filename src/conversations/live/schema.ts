import { z } from 'zod';
import { eventsOf, Id, Timestamp } from '../../schemas/parts.ts';
import { EVENT_TYPES, HistoryItem } from '../history/events.schema.ts';
import { InboxRow } from '../inbox/schema.ts';
import { ORG_EVENT_ID, SESSION_EVENT_ID, TOPICS } from './rules.ts';

/** The `data` of an event. */
export const LiveEvent = HistoryItem.extend({
  type: z.string().describe('The type of the history event.'),
  session_id: Id,
  row: InboxRow.nullable().optional().describe('With the topic inbox: the session as of now. null: it is deleted.'),
}).meta({ id: 'LiveEvent' });

const MAX_PAGE = 100;
const MAX_TYPES_LENGTH = 500;

/** The query of a page of events. The stream takes none of it. */
export const EventPageQuery = z.object({
  cursor: z
    .string()
    .refine((text) => ORG_EVENT_ID.test(text), 'must be the `next` of a page, or the `id` of an event')
    .optional()
    .describe('With `Accept: application/json`: the `next` of the page before. Absent: the oldest of thirty days.'),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).optional().describe('Events of a page: 50 unless given.'),
  type: z
    .string()
    .max(MAX_TYPES_LENGTH)
    .refine(
      (text) => text.split(',').every((type) => EVENT_TYPES.has(type)),
      `must be types of events, separated by commas: ${[...EVENT_TYPES].join(', ')}`,
    )
    .optional()
    .describe('Of a page: types of events, separated by commas, such as message,handoff. Those of HistoryEvent.'),
});
export type EventPageQuery = z.infer<typeof EventPageQuery>;

/** A page of events. `next` is never null: later events are behind it. */
export const EventPage = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string().describe('Its position: the stream and the pages continue after it.'),
          type: z.string(),
          timestamp: Timestamp,
          organization_id: Id,
          data: LiveEvent,
        })
        .meta({ id: 'EventItem' }),
    ),
    next: z.string().describe('The `cursor` of the next page. Never null: store it, and ask again later.'),
    has_more: z.boolean().describe('Whether more is there by now. A page may have no item and more behind it.'),
  })
  .meta({ id: 'EventPage' });

const LAST_EVENT_ID = 'The `id` of the last event that was received: the stream continues after it.';

const resumesAt = (pattern: RegExp) => {
  const LastEventId = z.string().regex(pattern, 'must be the id of an event of this stream').optional();
  return {
    headers: z.looseObject({ 'last-event-id': LastEventId.describe(LAST_EVENT_ID) }),
    querystring: z.object({
      last_event_id: LastEventId.describe(`${LAST_EVENT_ID} For clients that cannot set the header, which wins.`),
    }),
  };
};

export const SessionStreamStart = resumesAt(SESSION_EVENT_ID);
const orgStart = resumesAt(ORG_EVENT_ID);
const ONE_TOPIC = `(?:${TOPICS.join('|')})`;

export const OrgStreamStart = {
  ...orgStart,
  querystring: orgStart.querystring.extend({
    ...EventPageQuery.shape,
    topics: z
      .string()
      .regex(new RegExp(`^${ONE_TOPIC}(?:,${ONE_TOPIC}){0,${TOPICS.length - 1}}$`), {
        error: `must be one or more of ${TOPICS.join(', ')}, separated by commas`,
      })
      .default('sessions')
      .describe(
        'sessions: the events of histories. inbox: these with `row`, the row of GET /inbox, and `session_changed` and `read` besides. presence: who views and types where, first those who do now. notifications: for a member who is signed in, that GET /me/notifications has news.',
      ),
  }),
};

/** Encodes a LiveEvent as JSON. */
export const liveEventJson = (event: z.output<typeof LiveEvent>): string => JSON.stringify(z.encode(LiveEvent, event));

/** The `data` of an event outside all histories. */
const InboxEvent = z
  .object({
    type: z.enum(['session_changed', 'read']),
    session_id: Id,
    row: InboxRow,
  })
  .meta({ id: 'InboxEvent' });

/** Encodes an InboxEvent as JSON. */
export const inboxEventJson = (event: z.output<typeof InboxEvent>): string =>
  JSON.stringify(z.encode(InboxEvent, event));

/** The response of a stream in the OpenAPI document. */
export const EventStream = {
  description:
    'Server-sent events (WHATWG HTML): `id`, `event` (the type of the history event) and `data` (a LiveEvent as JSON). A comment every 15 s when nothing happens.',
  content: { 'text/event-stream': { schema: z.string().meta(eventsOf('LiveEvent', 'InboxEvent')) } },
};

/** The response of a stream also readable in pages. */
export const EventStreamOrPage = {
  description: EventStream.description,
  content: { ...EventStream.content, 'application/json': { schema: EventPage } },
};
