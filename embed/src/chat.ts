import { createClient, isPassing, Refused } from './client.ts';
import type { Core, Page, Person } from './core.ts';
import { createDelivery } from './delivery.ts';
import type { Options } from './options.ts';
import { createPolling } from './polling.ts';
import { mergeItems } from './rules/history.rules.ts';
import { userOf } from './rules/user.rules.ts';
import { beginState, type Earlier, NO_SESSION } from './state.ts';
import type { Outgoing, Storage } from './storage.ts';
import { createTabs, type Notice } from './tabs.ts';
import { createTyping } from './typing.ts';
import type { Polled, Session } from './wire.ts';
import type { Language } from './words.ts';

/** The most characters of a message. */
export const MAX_LENGTH = 50_000;

export type Chat = ReturnType<typeof createChat>;

/** Whose chat it is: a person with their memory. The token is that of a user. */
interface Owner {
  person: Person;
  /** Identifies what its panel shows: that of another one is mounted anew. */
  view: object;
  storage: Storage;
  token: string | undefined;
}

/**
 * Creates the chat of one anonymous visitor or user: its state, and what can be done. All that it stores, sends or tells
 * other tabs is theirs, also what ends after `destroy`. It makes no request but one for the configuration.
 */
export function createChat(page: Page, { person, view, storage, token }: Owner, before?: Earlier) {
  const { options } = page;
  let userToken = token;
  const client = createClient(options.host, options.token, () => userToken ?? storage.get().visitor);
  let state = beginState(person, storage, before);
  const tabs = createTabs(storage.name, hear);
  const core: Core = {
    options,
    person,
    client,
    storage,
    tabs,
    state: () => state,
    set(change) {
      state = { ...state, ...change };
      if (!tabs.signal.aborted) page.changed();
    },
    userToken: () => userToken,
    receive,
    forget,
    forgetSession(id) {
      if (storage.get().session === id) storage.set({ session: undefined });
    },
    emit: (event, detail) => {
      if (!tabs.signal.aborted) page.emit(event, detail);
    },
  };
  const polling = createPolling(core);
  const delivery = createDelivery(core, polling);
  const typing = createTyping(core);

  function hear(notice: Notice): void {
    if (notice.kind === 'polled') hearPolled(notice.data, notice.isWhole);
    else if (notice.kind === 'sent') delivery.settle(notice.uuid, notice.error);
    else if (notice.kind === 'moved') delivery.discard(notice.uuid);
    else if (notice.kind === 'memory') recall();
    else polling.hear(notice);
  }

  function hearPolled(polled: Polled, isWhole: boolean): void {
    const followed = storage.get().session ?? polled.session.id;
    if (followed !== polled.session.id) return;
    receive(polled, isWhole);
    void polling.catchUp();
  }

  /** Shows what another tab has changed. */
  function recall(): void {
    const { queue, decided, session } = storage.get();
    const waiting = new Set(queue.map(({ uuid }) => uuid));
    core.set({
      ...(state.session && session !== state.session.id && NO_SESSION),
      outgoing: [...state.outgoing.filter(({ uuid }) => !waiting.has(uuid)), ...queue],
      decided,
    });
    polling.start();
  }

  function receive({ session, history, activity }: Polled, isWhole: boolean): void {
    const before = state.session?.id === session.id ? state.items : [];
    const known = new Set(before.map(({ publicId }) => publicId));
    const isFirst = before.length === 0;
    // A part of a history is not shown without what came before it.
    const items = isFirst && !isWhole ? [] : mergeItems(before, history);
    const shown = new Set(items.map(({ publicId }) => publicId));
    core.set({
      session,
      items,
      activity,
      isOffline: false,
      outgoing: state.outgoing.filter(({ uuid }) => !shown.has(uuid)),
    });
    for (const item of history)
      if (!(isFirst && isWhole) && !known.has(item.publicId) && item.sender.kind !== 'user')
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

  function forget({ bearer }: { bearer: string | undefined }): void {
    if (tabs.signal.aborted || bearer !== (userToken ?? storage.get().visitor)) return;
    if (userToken === undefined) {
      storage.set({ visitor: undefined });
      leaveSession();
    } else page.signOut();
  }

  function leaveSession(): void {
    storage.set({ session: undefined });
    core.set(NO_SESSION);
    tabs.tell({ kind: 'memory' });
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
      if (!state.config) core.set({ config: await page.config(), refusal: undefined });
    } catch (error) {
      if (!isPassing(error)) core.set({ refusal: (error as Refused).message });
    }
    resume();
  }

  /** Asks for news and sends what waits. */
  function resume(): void {
    if (storage.get().session || userToken) polling.start();
    if (storage.get().queue.length > 0) void delivery.flush();
    if (state.isOpen) polling.opened();
  }

  /** Runs what the visitor wants, and shows a failure. */
  async function attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    core.set({ error: undefined });
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused && error.status === 401) forget(error);
      core.set({ error: error instanceof Refused && error.status < 500 ? error.message : '' });
      return undefined;
    }
  }

  /** Sends a message. The first one of a chat begins with the answers to the page's fields, if both fit. */
  function send(text: string, files: Outgoing['files']): Promise<void> {
    typing('');
    const isFirst = state.items.length === 0 && state.outgoing.every(({ error }) => error !== undefined);
    const whole = [person.answers.join('\n'), text].filter(Boolean).join('\n\n');
    return delivery.send(isFirst && whole.length <= MAX_LENGTH ? whole : text, files);
  }

  const sessionBody = () => ({ session_id: state.session?.id ?? storage.get().session });

  return {
    state: () => state,
    person,
    view,
    user: userOf(token),
    options,
    client,
    load,
    watch: page.watch,
    async open(): Promise<void> {
      if (state.isOpen) return;
      core.set({ isOpen: true });
      core.emit('open', state.session);
      if (state.config || state.refusal) polling.opened();
      else await load();
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
      person.claims = { ...person.claims, ...claims };
      person.answers = Object.entries(given).map(([field, answer]) => `${field}: ${answer}`);
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
      core.set({ error: undefined });
      leaveSession();
    },
    /** Shows and sends what was added to the memory. */
    resume: () => {
      recall();
      resume();
    },
    /** Continues with a newer token of the same user. */
    renew(newer: string | undefined): void {
      userToken = newer;
      resume();
    },
    destroy(): void {
      polling.left();
      tabs.close();
    },
  };
}
