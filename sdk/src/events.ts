import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { EventPage, InboxEvent, LiveEvent } from '../generated/types.gen.ts';
import type { Switchboard } from './client.ts';
import { SwitchboardError } from './errors.ts';
import { sleep } from './sleep.ts';

export interface EventOptions {
  /** The `id` of the last event that was processed: the stream continues after it. Absent: events from now on. */
  after?: string | undefined;
  /** `sessions`, `inbox`, `presence` and `notifications`, separated by commas. Default: sessions. */
  topics?: string;
  /** Ends the stream, also before events that have arrived. */
  signal?: AbortSignal;
}

export interface StreamedEvent {
  /** Absent for what is not stored as an event. */
  id: string | undefined;
  type: string;
  data: LiveEvent | InboxEvent;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/**
 * Yields what happens in the organization, each event once and in order. A connection that breaks is made again and
 * continues after the last event. Store the `id` of what was processed to continue after a restart.
 */
export async function* liveEvents(
  switchboard: Switchboard,
  { after, topics, signal }: EventOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  let waitMs = FIRST_WAIT_MS;
  let last = after;
  while (!signal?.aborted) {
    try {
      for await (const event of connection(switchboard, { after: last, topics, signal })) {
        if (signal?.aborted) return;
        last = event.id ?? last;
        waitMs = FIRST_WAIT_MS;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
    }
    await sleep(waitMs, signal).catch(() => undefined);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
}

/** A refusal stays one, however often it is asked. */
const isFinal = (error: unknown): boolean =>
  error instanceof SwitchboardError && error.status >= 400 && error.status < 500 && error.status !== 429;

interface Connection {
  after: string | undefined;
  topics: string | undefined;
  signal: AbortSignal | undefined;
}

/** Yields the events of one connection. */
async function* connection(
  { http }: Switchboard,
  { after, topics, signal }: Connection,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { data: body } = await http.get<ReadableStream<Uint8Array<ArrayBuffer>>, unknown, true>({
    url: '/events',
    security: [{ scheme: 'bearer', type: 'http' }],
    parseAs: 'stream',
    query: { topics, last_event_id: after },
    headers: { accept: 'text/event-stream' },
    ...(signal !== undefined && { signal }),
  });
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { id, event, data } of events) yield { id, type: event ?? 'message', data: JSON.parse(data) };
}

export interface EventPageOptions {
  /** The `next` of the last page that was processed, or the `id` of an event. Absent: the oldest of thirty days. */
  after?: string | undefined;
  /** The types of events that are wanted. Default: all. */
  types?: string[];
  /** Events of a page, at most 100. Default: 50. */
  limit?: number;
  /** Asks again after so long once nothing is left. Absent: the iterator ends there. */
  pollMs?: number;
  /** Ends the iterator. */
  signal?: AbortSignal;
}

/**
 * Yields pages of what happened in the organization within thirty days, in the order of `liveEvents`. Store `next` of
 * what was processed to continue after a restart: either iterator takes it as `after`. A cursor with older events behind
 * it rejects with a SwitchboardError of status 410.
 */
export async function* eventPages(
  { http }: Switchboard,
  { after, types, limit, pollMs, signal }: EventPageOptions = {},
): AsyncGenerator<EventPage, void, undefined> {
  let cursor = after;
  while (!signal?.aborted) {
    const page = await readPage(http, { cursor, limit, type: types?.join(',') }, signal);
    if (page === undefined) return;
    cursor = page.next;
    yield page;
    if (page.has_more) continue;
    if (pollMs === undefined) return;
    await sleep(pollMs, signal).catch(() => undefined);
  }
}

interface PageQuery {
  cursor: string | undefined;
  limit: number | undefined;
  type: string | undefined;
}

/** Reads a page. Resolves to undefined if the signal has ended it. */
async function readPage(
  http: Switchboard['http'],
  query: PageQuery,
  signal: AbortSignal | undefined,
): Promise<EventPage | undefined> {
  try {
    const { data } = await http.get<{ 200: EventPage }, unknown, true>({
      url: '/events',
      security: [{ scheme: 'bearer', type: 'http' }],
      parseAs: 'json',
      query: { ...query },
      headers: { accept: 'application/json' },
      ...(signal !== undefined && { signal }),
    });
    return data;
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
}
