import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { HistoryItem } from '../history/events.schema.ts';
import { ORG_EVENT_ID, SESSION_EVENT_ID } from './rules.ts';

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
export const OrgStreamStart = resumesAt(ORG_EVENT_ID);

/** The `data` of an event. */
export const LiveEvent = HistoryItem.extend({ session_id: Id }).meta({ id: 'LiveEvent' });

/** Encodes a LiveEvent as JSON. */
export const liveEventJson = (event: z.output<typeof LiveEvent>): string => JSON.stringify(z.encode(LiveEvent, event));

/** The response of a stream in the OpenAPI document. */
export const EventStream = {
  description:
    'Server-sent events (WHATWG HTML): `id`, `event` (the type of the history event) and `data` (a LiveEvent as JSON). A comment every 15 s when nothing happens.',
  content: { 'text/event-stream': { schema: z.string() } },
};
