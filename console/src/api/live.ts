import type { Schemas } from './client';
import { readEvents, type ServerEvent } from './event-stream';
import type { PresenceEvent } from './presence';

export type LiveEvent = Schemas['LiveEvent'];
export type LiveState = 'live' | 'down' | 'signed-out';
type Notice =
  | { event: LiveEvent }
  | { presence: PresenceEvent }
  | { state: LiveState }
  | { isResumed: true }
  /** A tab that opens asks who is where, as only the beginning of a stream says it. */
  | { isAsking: true };

const LOCK = 'switchboard-live';
const POSITION = 'switchboard-live-position';
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** In the tab that holds the stream: the last of each member in each session. */
const present = new Map<string, PresenceEvent>();

/**
 * Tells of what happens in the org. One tab of the browser holds the stream and passes events on to the others, as
 * browsers open only six connections to a server. Another tab takes over once it closes.
 */
export function followLive(listener: (notice: Notice) => void): () => void {
  const channel = new BroadcastChannel(LOCK);
  const ending = new AbortController();
  channel.onmessage = ({ data }) => {
    const notice = data as Notice;
    if ('isAsking' in notice) for (const presence of present.values()) channel.postMessage({ presence });
    else listener(notice);
  };
  channel.postMessage({ isAsking: true });
  const tell = (notice: Notice) => {
    channel.postMessage(notice);
    listener(notice);
  };
  navigator.locks.request(LOCK, { signal: ending.signal }, () => lead(tell, ending.signal)).catch(() => {});
  return () => {
    ending.abort();
    channel.close();
  };
}

async function lead(tell: (notice: Notice) => void, signal: AbortSignal): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    const wasLive = await follow(tell, signal).catch(() => false);
    if (signal.aborted) return;
    if (wasLive) wait = FIRST_WAIT_MS;
    tell({ state: 'down' });
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random() / 2)));
  }
}

/** Follows one connection to its end. Returns whether it was one. */
async function follow(tell: (notice: Notice) => void, signal: AbortSignal): Promise<boolean> {
  const position = localStorage.getItem(POSITION);
  const headers = { accept: 'text/event-stream', ...(position === null ? {} : { 'last-event-id': position }) };
  const response = await fetch('/events?topics=inbox,presence', { headers, signal });
  if (response.status === 401) window.dispatchEvent(new Event('signed-out'));
  if (response.status === 400) localStorage.removeItem(POSITION);
  if (!response.ok || response.body === null) return false;
  present.clear();
  tell({ state: 'live' });
  tell({ isResumed: true });
  for await (const event of readEvents(response.body)) passOn(event, tell);
  return true;
}

function passOn({ id, data }: ServerEvent, tell: (notice: Notice) => void): void {
  if (id !== undefined) localStorage.setItem(POSITION, id);
  const event = JSON.parse(data) as LiveEvent | PresenceEvent;
  if ('member' in event) {
    present.set(`${event.session_id} ${event.member.id}`, event);
    tell({ presence: event });
  } else tell({ event });
}
