import type { Polled } from './wire.ts';

export type Notice =
  | { kind: 'polled'; data: Polled; isWhole: boolean }
  | { kind: 'moved'; uuid: string }
  | { kind: 'sent'; uuid: string; error?: string | undefined }
  | { kind: 'tab'; tab: string; isOpen: boolean }
  | { kind: 'tabs' }
  | { kind: 'memory' }
  | { kind: 'poll' };

export interface Tabs {
  /** Ends with `close`. */
  signal: AbortSignal;
  /** Runs work in one tab of the site at a time: when its tab is closed, another one continues. */
  lead(work: () => Promise<void>): void;
  /** Runs work of all tabs one after the other. */
  inTurn(name: string, work: () => Promise<void>): Promise<void>;
  tell(notice: Notice): void;
  close(): void;
}

/**
 * Connects the tabs of a site that have a visitor or a user in common, by Web Locks and a BroadcastChannel. Where a browser
 * has none, each tab is alone.
 */
export function createTabs(name: string, onNotice: (notice: Notice) => void): Tabs {
  const channel = 'BroadcastChannel' in window ? new BroadcastChannel(name) : undefined;
  const closing = new AbortController();
  channel?.addEventListener('message', ({ data }) => onNotice(data));
  const locks = navigator.locks as LockManager | undefined;
  return {
    signal: closing.signal,
    lead(work) {
      const led = locks ? locks.request(name, { signal: closing.signal }, () => work()) : work();
      led.catch(() => {});
    },
    inTurn: async (work, run) => (locks ? locks.request(`${name}:${work}`, () => run()) : run()),
    tell(notice) {
      if (!closing.signal.aborted) channel?.postMessage(notice);
    },
    close() {
      closing.abort();
      channel?.close();
    },
  };
}
