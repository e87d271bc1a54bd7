import type { Schemas } from './client';
import { readEvents, type ServerEvent } from './event-stream';
import type { PresenceEvent, TypingEvent } from './presence';

export type LiveEvent = Schemas['LiveEvent'];
/** What no history has. */
export type Broadcast = PresenceEvent | TypingEvent | { type: 'notification' };
export type LiveState = 'live' | 'down' | 'signed-out';
type Notice = { event: LiveEvent } | { broadcast: Broadcast } | { state: LiveState } | { isResumed: true };
/** Messages between tabs: notices, the position in the stream, members with their places, and a server that may be back. */
type Message = { notice: Notice; position?: string | undefined } | { isAsking: true } | { isWaking: true };

const LOCK = 'switchboard-live';
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** A stream says something every 15 seconds. One that is silent for longer is dead, as after a laptop's sleep. */
const MAX_SILENCE_MS = 40_000;
const SILENCE_CHECK_MS = 2_000;

interface Tab {
  /** The last event that any tab has received: the next stream continues behind it. */
  position: string | undefined;
  tell(notice: Notice): void;
  signal: AbortSignal;
  /** Ends the pause before the next connection. */
  wake: () => void;
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
    wake: () => {},
    tell(notice) {
      send({ notice, position: tab.position });
      listener(notice);
    },
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('notice' in data) {
      tab.position = data.position ?? tab.position;
      listener(data.notice);
    } else if ('isWaking' in data) tab.wake();
    else if (isLeading) for (const broadcast of listed()) send({ notice: { broadcast } });
  };
  const leadTabs = () => {
    isLeading = true;
    return lead(tab);
  };
  navigator.locks.request(LOCK, { signal: ending.signal }, leadTabs).catch(() => {});
  send({ isAsking: true });
  const ignoreReturns = onReturn(() => {
    tab.wake();
    send({ isWaking: true });
  });
  return () => {
    ignoreReturns();
    ending.abort();
    channel.close();
  };
}

/** Calls back when the server may be within reach again: somebody has signed in, looks at the page, or has a network. */
function onReturn(callback: () => void): () => void {
  const onVisible = () => document.visibilityState === 'visible' && callback();
  window.addEventListener('signed-in', callback);
  window.addEventListener('online', callback);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('signed-in', callback);
    window.removeEventListener('online', callback);
    document.removeEventListener('visibilitychange', onVisible);
  };
}

async function lead(tab: Tab): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !tab.signal.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    const wasLive = await follow(tab);
    if (tab.signal.aborted) return;
    if (wasLive) wait = FIRST_WAIT_MS;
    tab.tell({ state: 'down' });
    await new Promise<void>((resolve) => {
      tab.wake = resolve;
      setTimeout(resolve, wait * (0.5 + Math.random() / 2));
    });
  }
}

/** Follows one connection to its end. Returns whether it was one. */
async function follow(tab: Tab): Promise<boolean> {
  const { position } = tab;
  const headers = { accept: 'text/event-stream', ...(position === undefined ? {} : { 'last-event-id': position }) };
  const silence = watchSilence();
  const signal = AbortSignal.any([tab.signal, silence.signal]);
  let isLive = false;
  try {
    const response = await fetch('/events?topics=inbox,presence,notifications', { headers, signal });
    if (response.status === 401) window.dispatchEvent(new Event('signed-out'));
    if (response.status === 400) tab.position = undefined;
    if (!response.ok || response.body === null) return false;
    isLive = true;
    tab.tell({ state: 'live' });
    tab.tell({ isResumed: true });
    for await (const event of readEvents(response.body, silence.onHeard)) passOn(event, tab);
  } catch {
    // The connection broke, or was given up.
  } finally {
    silence.stop();
  }
  return isLive;
}

/** Aborts once nothing was heard for too long. The clock on the wall counts: timers stand still in a sleep. */
function watchSilence() {
  const dead = new AbortController();
  let heardAt = Date.now();
  const timer = setInterval(() => Date.now() - heardAt > MAX_SILENCE_MS && dead.abort(), SILENCE_CHECK_MS);
  return {
    signal: dead.signal,
    onHeard: () => {
      heardAt = Date.now();
    },
    stop: () => clearInterval(timer),
  };
}

function passOn({ id, data }: ServerEvent, tab: Tab): void {
  tab.position = id ?? tab.position;
  if (data === '') return;
  const event = JSON.parse(data) as LiveEvent | Broadcast;
  tab.tell(isBroadcast(event) ? { broadcast: event } : { event });
}

const isBroadcast = (event: LiveEvent | Broadcast): event is Broadcast =>
  event.type === 'presence' || event.type === 'contact_typing' || event.type === 'notification';
