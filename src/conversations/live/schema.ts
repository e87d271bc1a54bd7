import { z } from 'zod';
import { eventsOf, Id } from '../../schemas/parts.ts';
import { HistoryItem } from '../history/events.schema.ts';
import { InboxRow } from '../inbox/schema.ts';
import { ORG_EVENT_ID, SESSION_EVENT_ID, TOPICS } from './rules.ts';

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

/** The `data` of an event. */
export const LiveEvent = HistoryItem.extend({
  type: z.string().describe('The type of the history event.'),
  session_id: Id,
  row: InboxRow.nullable().optional().describe('With the topic inbox: the session as of now. null: it is deleted.'),
}).meta({ id: 'LiveEvent' });

/** Encodes a LiveEvent as JSON. */
export const liveEventJson = (event: z.output<typeof LiveEvent>): string => JSON.stringify(z.encode(LiveEvent, event));

/** The `data` of an event that no history has. */
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
