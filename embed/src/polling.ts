import { isPassing, Refused } from './client.ts';
import type { Core } from './core.ts';
import { backoffMs } from './rules/backoff.rules.ts';
import type { Notice } from './tabs.ts';

const WAIT_SECONDS = 25;
const CLOSED_MS = 15_000;
/** A page that nobody looks at asks once a minute. */
const HIDDEN_MS = 60_000;
/** A server that does not wait is not asked without a pause. */
const SHORTEST_MS = 1_000;

export type Polling = ReturnType<typeof createPolling>;

/**
 * Asks for news of the session: at once and all the time while the chat is open in a tab, from time to time while it is
 * closed. One tab asks for all.
 */
export function createPolling(core: Core) {
  const { client, storage, tabs } = core;
  const self = crypto.randomUUID();
  const openTabs = new Set<string>();
  let isLeading = false;
  let isAsked = false;
  let wake = () => {};
  let request = new AbortController();

  const isWatched = () => core.state().isOpen || openTabs.size > 0;
  const { signal } = tabs;
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  let isCompared = false;
  /** Returns the session to follow: a user's latest open one, unless the one that the browser knows is open too. */
  async function findSession(): Promise<string | undefined> {
    const { session } = storage.get();
    if (core.userToken() === undefined || (session && isCompared)) return session;
    const { items } = await client.sessions();
    isCompared = true;
    const open = items.filter(({ isOpened }) => isOpened);
    const found = open.find(({ id }) => id === session) ?? open[0];
    if (found && storage.get().session === session) storage.set({ session: found.id });
    return storage.get().session;
  }

  let known = { session: '', state: '', updatedAt: '' };

  async function pollOnce(id: string): Promise<void> {
    const { session, items } = core.state();
    const since = session?.id === id ? (items.at(-1)?.publicId ?? '') : '';
    if (known.session !== id) known = { session: id, state: '', updatedAt: '' };
    const { state } = known;
    const query = { ...(since && { since }), ...(state && isWatched() && { state, wait: String(WAIT_SECONDS) }) };
    request = new AbortController();
    const polled = await client.poll(id, query, request.signal);
    if (polled === undefined || storage.get().session !== id) return;
    const isChanged =
      polled.history.length === 0 && known.updatedAt !== '' && known.updatedAt !== polled.session.updatedAt;
    // An item may have been redacted or edited: the items are read again.
    const whole = isChanged ? await client.poll(id, {}, request.signal) : undefined;
    const found = whole ?? polled;
    known = { session: id, state: found.state, updatedAt: found.session.updatedAt };
    const isWhole = since === '' || whole !== undefined;
    core.receive(found, isWhole);
    tabs.tell({ kind: 'polled', data: found, isWhole });
  }

  /** Returns how long to rest after a poll. Undefined if there is nothing to ask for. */
  function pauseMs(id: string | undefined, tookMs: number): number | undefined {
    if (isAsked) return 0;
    if (isWatched()) return id ? Math.max(SHORTEST_MS - tookMs, 0) : HIDDEN_MS;
    if (!id || core.state().session?.isOpened === false) return undefined;
    return document.hidden ? HIDDEN_MS : CLOSED_MS;
  }

  async function run(): Promise<void> {
    isLeading = true;
    tabs.tell({ kind: 'tabs' });
    for (let failures = 0; !signal.aborted; ) {
      const began = Date.now();
      isAsked = false;
      let id: string | undefined;
      try {
        id = await findSession();
        if (id) await pollOnce(id);
        failures = 0;
        const pause = pauseMs(id, Date.now() - began);
        if (pause === undefined) break;
        await rest(pause);
      } catch (error) {
        if (signal.aborted || !survives(error, id)) break;
        await rest(Math.max(backoffMs(failures++), error instanceof Refused ? error.retryAfterMs : 0));
      }
    }
    isLeading = false;
    isStarted = false;
  }

  /** Returns whether the server can be asked again after this failure. */
  function survives(error: unknown, session: string | undefined): boolean {
    const status = error instanceof Refused ? error.status : 0;
    if (status === 401) core.forget(error as Refused);
    else if (status === 404) core.forgetSession(session);
    else if (isPassing(error)) core.set({ isOffline: isWatched() && (error as Error).name !== 'AbortError' });
    else return false;
    return true;
  }

  /** An open chat that another tab asks for begins with the history so far. */
  async function catchUp(): Promise<void> {
    if (isLeading || !core.state().isOpen || core.state().items.length > 0) return;
    try {
      const session = await findSession();
      const polled = session && (await client.poll(session, {}, signal));
      if (polled && storage.get().session === session) core.receive(polled, true);
    } catch {
      // The next notice tries again.
    }
  }

  let isStarted = false;
  const start = (): void => {
    if (isStarted) return;
    isStarted = true;
    tabs.lead(run);
  };
  /** Asks at once, in the tab that asks. */
  const soon = (): void => {
    start();
    isAsked = true;
    if (isLeading) wake();
    else tabs.tell({ kind: 'poll' });
  };
  const opened = (): void => {
    tabs.tell({ kind: 'tab', tab: self, isOpen: core.state().isOpen });
    if (!core.state().isOpen || !(storage.get().session || core.userToken())) return;
    soon();
    void catchUp();
  };
  const left = () => tabs.tell({ kind: 'tab', tab: self, isOpen: false });
  addEventListener('pagehide', left, { signal });
  addEventListener('online', () => wake(), { signal });
  document.addEventListener('visibilitychange', () => document.hidden || wake(), { signal });
  signal.addEventListener('abort', () => {
    request.abort();
    wake();
  });

  return {
    start,
    soon,
    opened,
    left,
    findSession,
    catchUp,
    hear(notice: Notice): void {
      if (notice.kind === 'tab') {
        if (notice.isOpen) openTabs.add(notice.tab);
        else openTabs.delete(notice.tab);
        if (notice.isOpen && isLeading) wake();
      } else if (notice.kind === 'tabs') {
        if (core.state().isOpen) tabs.tell({ kind: 'tab', tab: self, isOpen: true });
      } else if (notice.kind === 'poll' && isLeading) {
        isAsked = true;
        wake();
      }
    },
  };
}
