import { createClient, isPassing, Refused } from './client.ts';
import type { ChatState, Core } from './core.ts';
import { createDelivery } from './delivery.ts';
import type { Options } from './options.ts';
import { createPolling } from './polling.ts';
import { mergeItems } from './rules/history.rules.ts';
import { createStorage, type Outgoing } from './storage.ts';
import { createTabs, type Notice } from './tabs.ts';
import { createTyping } from './typing.ts';
import type { Activity, Polled, Session } from './wire.ts';
import type { Language } from './words.ts';

/** The most characters of a message. */
export const MAX_LENGTH = 50_000;
const NO_ACTIVITY: Activity = { agent_typing: false, ai_label: null };

export type Chat = ReturnType<typeof createChat>;

/** Creates the chat of a page: its state, and what can be done. It makes no request but one for the configuration. */
export function createChat(options: Options) {
  const storage = createStorage(options.token);
  const client = createClient(options.host, options.token, () => options.userToken ?? storage.get().visitor);
  const { queue, decided } = storage.get();
  let state: ChatState = {
    isOpen: false,
    items: [],
    outgoing: queue,
    activity: NO_ACTIVITY,
    isOffline: false,
    decided,
    votes: {},
  };
  /** The answers to the page's fields, a line each. */
  let answers: string[] = [];
  const watchers = new Set<() => void>();
  const listeners = new Map<string, Set<(detail: unknown) => void>>();
  const tabs = createTabs(options.token, hear);
  const core: Core = {
    options,
    client,
    storage,
    tabs,
    state: () => state,
    set(change) {
      state = { ...state, ...change };
      for (const watch of watchers) watch();
    },
    receive,
    forget,
    emit: (event, detail) => {
      for (const listener of listeners.get(event) ?? []) listener(detail);
    },
  };
  const polling = createPolling(core);
  const delivery = createDelivery(core, polling.soon);
  const typing = createTyping(core);

  function hear(notice: Notice): void {
    if (notice.kind === 'polled') receive(notice.data as Polled);
    else if (notice.kind === 'memory') {
      const { queue: waiting, decided: known } = storage.get();
      const { outgoing } = state;
      core.set({
        outgoing: [...outgoing.filter(({ uuid }) => !waiting.some((other) => other.uuid === uuid)), ...waiting],
        decided: known,
      });
      polling.start();
    } else polling.hear(notice);
  }

  function receive({ session, history, activity }: Polled): void {
    const known = new Set(state.items.map(({ publicId }) => publicId));
    const items = mergeItems(state.items, history);
    const shown = new Set(items.map(({ publicId }) => publicId));
    const isFirst = state.items.length === 0;
    core.set({
      session,
      items,
      activity,
      isOffline: false,
      outgoing: state.outgoing.filter(({ uuid }) => !shown.has(uuid)),
    });
    for (const item of history)
      if (!isFirst && !known.has(item.publicId) && item.sender.kind !== 'user')
        core.emit('message', {
          id: item.publicId,
          text: item.content.text,
          sender: item.sender.kind,
          at: item.sentAt,
          session,
        });
    core.emit('unread', session.unread);
    if (state.isOpen) void markRead();
  }

  function forget(): void {
    if (options.userToken !== undefined) {
      options.userToken = undefined;
      core.emit('unauthorized');
    }
    storage.set({ visitor: undefined, session: undefined });
    core.set({ session: undefined, items: [], activity: NO_ACTIVITY });
  }

  async function markRead(): Promise<void> {
    const { session, items } = state;
    const last = items.at(-1);
    if (!session || !last || session.unread === 0 || document.visibilityState !== 'visible') return;
    core.set({ session: { ...session, unread: 0 } });
    await client.post('read', { session_id: session.id, up_to: last.publicId }).catch(() => {});
  }

  async function load(): Promise<void> {
    try {
      core.set({ config: await client.config(), refusal: undefined });
    } catch (error) {
      if (!isPassing(error)) core.set({ refusal: (error as Refused).message });
    }
    if (storage.get().session || options.userToken) polling.start();
    if (storage.get().queue.length > 0) void delivery.flush();
  }

  /** Runs what the visitor wants, and shows a failure. */
  async function attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    core.set({ error: undefined });
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused && error.status === 401) forget();
      core.set({ error: error instanceof Refused && error.status < 500 ? error.message : '' });
      return undefined;
    }
  }

  /** Sends a message. The first one of a chat begins with the answers to the page's fields, if both fit. */
  function send(text: string, files: Outgoing['files']): Promise<void> {
    typing('');
    const isFirst = state.items.length === 0 && state.outgoing.every(({ error }) => error !== undefined);
    const whole = [answers.join('\n'), text].filter(Boolean).join('\n\n');
    return delivery.send(isFirst && whole.length <= MAX_LENGTH ? whole : text, files);
  }

  const sessionBody = () => ({ session_id: state.session?.id ?? storage.get().session });

  return {
    state: () => state,
    options,
    client,
    load,
    watch(watcher: () => void) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    on(event: string, listener: (detail: unknown) => void) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    async open(): Promise<void> {
      if (state.isOpen) return;
      core.set({ isOpen: true });
      core.emit('open', state.session);
      if (!state.config && !state.refusal) await load();
      polling.opened();
      void markRead();
    },
    close(): void {
      if (!state.isOpen) return;
      core.set({ isOpen: false });
      core.emit('close');
      polling.opened();
    },
    draft: (text?: string) => {
      if (text !== undefined) {
        storage.set({ draft: text });
        typing(text);
      }
      return storage.get().draft ?? '';
    },
    setLanguage: (language: Language) => core.set({ language }),
    claim(claims: Options['claims'], given: Record<string, string>): void {
      options.claims = { ...options.claims, ...claims };
      answers = Object.entries(given).map(([field, answer]) => `${field}: ${answer}`);
    },
    send,
    retry: delivery.retry,
    discard: delivery.discard,
    upload: (file: File, onProgress: (share: number) => void) => delivery.upload(file, onProgress),
    vote: (messagePublicId: string, isUp: boolean) =>
      attempt(async () => {
        core.set({ votes: { ...state.votes, [messagePublicId]: isUp } });
        await client.post('chat/vote', {
          action: isUp ? 'upvote' : 'downvote',
          sessionId: sessionBody().session_id,
          messagePublicId,
        });
      }),
    score: (score: number, feedback: string) =>
      attempt(async () => {
        await client.post('submit-csat', { ...sessionBody(), score, feedback: feedback.trim() || null });
        polling.soon();
        return true;
      }),
    decide: (id: string, decision: 'confirm' | 'reject', changed?: object) =>
      attempt(async () => {
        await client.post(`confirmations/${id}`, { decision, ...(changed && { arguments: changed }) });
        storage.set({ decided: { ...storage.get().decided, [id]: decision } });
        core.set({ decided: storage.get().decided });
        polling.soon();
      }),
    /** Asks for a person, by these words where nothing was said yet. */
    async requestPerson(words: string): Promise<void> {
      if (!sessionBody().session_id) await send(words, []);
      await attempt(async () => {
        const session = (await client.post('session/handoff', sessionBody())) as Session;
        core.set({ session });
        polling.soon();
      });
    },
    startNew(): void {
      storage.set({ session: undefined });
      core.set({ session: undefined, items: [], activity: NO_ACTIVITY, error: undefined });
      tabs.tell({ kind: 'memory' });
    },
    identify(token: string): void {
      options.userToken = token;
      core.set({ session: undefined, items: [] });
      storage.set({ session: undefined });
      polling.start();
    },
    setContext(context: object): void {
      options.message = { ...options.message, clientContext: { ...options.message?.clientContext, ...context } };
    },
    destroy(): void {
      polling.stop();
      tabs.close();
    },
  };
}
