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
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** Returns the session to follow: a verified visitor's latest open one, where the browser knows none. */
  async function findSession(): Promise<string | undefined> {
    const { session } = storage.get();
    if (session || core.options.userToken === undefined) return session;
    const { items } = await client.sessions();
    const open = items.find(({ isOpened }) => isOpened);
    if (open) storage.set({ session: open.id });
    return open?.id;
  }

  let known = { session: '', since: '', state: '', updatedAt: '' };

  async function pollOnce(id: string): Promise<void> {
    if (known.session !== id)
      known = {
        session: id,
        since: core.state().session?.id === id ? (core.state().items.at(-1)?.publicId ?? '') : '',
        state: '',
        updatedAt: '',
      };
    const { since, state } = known;
    const query = { ...(since && { since }), ...(state && isWatched() && { state, wait: String(WAIT_SECONDS) }) };
    request = new AbortController();
    const polled = await client.poll(id, query, request.signal);
    if (polled === undefined || storage.get().session !== id) return;
    const isChanged =
      polled.history.length === 0 && known.updatedAt !== '' && known.updatedAt !== polled.session.updatedAt;
    // An item may have been redacted or edited: the items are read again.
    const whole = isChanged ? await client.poll(id, {}, request.signal) : undefined;
    const found = whole ?? polled;
    known = {
      session: id,
      since: found.history.at(-1)?.publicId ?? since,
      state: found.state,
      updatedAt: found.session.updatedAt,
    };
    core.receive(found);
    tabs.tell({ kind: 'polled', data: found });
  }

  /** Returns how long to rest after a poll. Undefined if there is nothing to ask for. */
  function pauseMs(id: string | undefined, tookMs: number): number | undefined {
    if (isAsked) return 0;
    if (isWatched()) return id ? Math.max(SHORTEST_MS - tookMs, 0) : HIDDEN_MS;
    if (!id || core.state().session?.isOpened === false) return undefined;
    return document.hidden ? HIDDEN_MS : CLOSED_MS;
  }

  async function run(signal: AbortSignal): Promise<void> {
    isLeading = true;
    tabs.tell({ kind: 'tabs' });
    for (let failures = 0; !signal.aborted; ) {
      const began = Date.now();
      isAsked = false;
      try {
        const id = await findSession();
        if (id) await pollOnce(id);
        failures = 0;
        const pause = pauseMs(id, Date.now() - began);
        if (pause === undefined) break;
        await rest(pause);
      } catch (error) {
        if (!survives(error)) break;
        await rest(Math.max(backoffMs(failures++), error instanceof Refused ? error.retryAfterMs : 0));
      }
    }
    isLeading = false;
    isStarted = false;
  }

  /** Returns whether the server can be asked again after this failure. */
  function survives(error: unknown): boolean {
    const status = error instanceof Refused ? error.status : 0;
    if (status === 401) core.forget();
    else if (status === 404) storage.set({ session: undefined });
    else if (isPassing(error)) core.set({ isOffline: isWatched() && (error as Error).name !== 'AbortError' });
    else return false;
    return true;
  }

  /** A tab that others ask for begins with the history so far. */
  async function catchUp(): Promise<void> {
    const { session } = storage.get();
    if (isLeading || !session || core.state().items.length > 0) return;
    const polled = await client.poll(session, {}, request.signal).catch(() => undefined);
    if (polled) core.receive(polled);
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
    if (!core.state().isOpen || !storage.get().session) return;
    soon();
    void catchUp();
  };
  addEventListener('pagehide', () => tabs.tell({ kind: 'tab', tab: self, isOpen: false }));
  addEventListener('online', () => wake());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) wake();
  });

  return {
    start,
    soon,
    opened,
    stop: () => request.abort(),
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
