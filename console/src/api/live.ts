import type { Schemas } from './client';
import { readEvents, type ServerEvent } from './event-stream';
import type { PresenceEvent, TypingEvent } from './presence';

export type LiveEvent = Schemas['LiveEvent'];
/** What no history has. */
export type Broadcast = PresenceEvent | TypingEvent | { type: 'notification' };
export type LiveState = 'live' | 'down' | 'signed-out';
type Notice = { event: LiveEvent } | { broadcast: Broadcast } | { state: LiveState } | { isResumed: true };
/** What tabs tell one another: notices, how far the stream was read, and the question who is where. */
type Message = { notice: Notice; position?: string | undefined } | { isAsking: true };

const LOCK = 'switchboard-live';
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

interface Tab {
  /** The last event that any tab has received: the next stream continues behind it. */
  position: string | undefined;
  tell(notice: Notice): void;
  signal: AbortSignal;
}

/**
 * Tells of what happens in the org. One tab of the browser holds the stream and passes events on to the others, as
 * browsers open only six connections to a server. Another tab takes over once it closes. `listed` are the events that
 * a new tab has missed.
 */
export function followLive(listener: (notice: Notice) => void, listed: () => Broadcast[]): () => void {
  const channel = new BroadcastChannel(LOCK);
  const ending = new AbortController();
  let isLeading = false;
  const send = (message: Message) => channel.postMessage(message);
  const tab: Tab = {
    position: undefined,
    signal: ending.signal,
    tell(notice) {
      send({ notice, position: tab.position });
      listener(notice);
    },
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('notice' in data) {
      tab.position = data.position ?? tab.position;
      listener(data.notice);
    } else if (isLeading) for (const broadcast of listed()) send({ notice: { broadcast } });
  };
  const leadTabs = () => {
    isLeading = true;
    return lead(tab);
  };
  navigator.locks.request(LOCK, { signal: ending.signal }, leadTabs).catch(() => {});
  send({ isAsking: true });
  return () => {
    ending.abort();
    channel.close();
  };
}

async function lead(tab: Tab): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !tab.signal.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    const wasLive = await follow(tab).catch(() => false);
    if (tab.signal.aborted) return;
    if (wasLive) wait = FIRST_WAIT_MS;
    tab.tell({ state: 'down' });
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random() / 2)));
  }
}

/** Follows one connection to its end. Returns whether it was one. */
async function follow(tab: Tab): Promise<boolean> {
  const { position, signal } = tab;
  const headers = { accept: 'text/event-stream', ...(position === undefined ? {} : { 'last-event-id': position }) };
  const response = await fetch('/events?topics=inbox,presence,notifications', { headers, signal });
  if (response.status === 401) window.dispatchEvent(new Event('signed-out'));
  if (response.status === 400) tab.position = undefined;
  if (!response.ok || response.body === null) return false;
  tab.tell({ state: 'live' });
  tab.tell({ isResumed: true });
  for await (const event of readEvents(response.body)) passOn(event, tab);
  return true;
}

function passOn({ id, data }: ServerEvent, tab: Tab): void {
  tab.position = id ?? tab.position;
  if (data === '') return;
  const event = JSON.parse(data) as LiveEvent | Broadcast;
  tab.tell(isBroadcast(event) ? { broadcast: event } : { event });
}

const isBroadcast = (event: LiveEvent | Broadcast): event is Broadcast =>
  event.type === 'presence' || event.type === 'contact_typing' || event.type === 'notification';
