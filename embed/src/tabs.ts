export type Notice =
  | { kind: 'polled'; data: unknown }
  | { kind: 'tab'; tab: string; isOpen: boolean }
  | { kind: 'tabs' }
  | { kind: 'memory' }
  | { kind: 'poll' };

export interface Tabs {
  /** Runs work in one tab of the site at a time: when its tab is closed, another one continues. */
  lead(work: (signal: AbortSignal) => Promise<void>): void;
  /** Runs work of all tabs one after the other. */
  inTurn(name: string, work: () => Promise<void>): Promise<void>;
  tell(notice: Notice): void;
  close(): void;
}

/** Connects the tabs of a site by Web Locks and a BroadcastChannel. Where a browser has none, each tab is alone. */
export function createTabs(token: string, onNotice: (notice: Notice) => void): Tabs {
  const name = `switchboard:${token}`;
  const channel = 'BroadcastChannel' in window ? new BroadcastChannel(name) : undefined;
  const closing = new AbortController();
  channel?.addEventListener('message', ({ data }) => onNotice(data));
  const locks = navigator.locks as LockManager | undefined;
  return {
    lead(work) {
      const run = () => work(closing.signal);
      const led = locks ? locks.request(name, { signal: closing.signal }, run) : run();
      led.catch(() => {});
    },
    inTurn: async (work, run) => (locks ? locks.request(`${name}:${work}`, () => run()) : run()),
    tell: (notice) => channel?.postMessage(notice),
    close() {
      closing.abort();
      channel?.close();
    },
  };
}
