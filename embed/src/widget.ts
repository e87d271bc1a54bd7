import { type Chat, createChat } from './chat.ts';
import { createClient } from './client.ts';
import type { Page, Person } from './core.ts';
import type { Options } from './options.ts';
import { userOf } from './rules/user.rules.ts';
import { createStorage, deleteOldMemories, moveDraft, moveQueue, nameOf, type Storage } from './storage.ts';
import { createTabs } from './tabs.ts';
import type { Config } from './wire.ts';

export type Widget = ReturnType<typeof createWidget>;

/** Creates the widget of a page: one chat at a time, of an anonymous visitor or of the user whom the page names. */
export function createWidget(options: Options) {
  const watchers = new Set<() => void>();
  const listeners = new Map<string, Set<(detail: unknown) => void>>();
  const anonymous = createStorage(nameOf(options.token, undefined));
  let asked: Promise<Config> | undefined;
  const page: Page = {
    options,
    config() {
      asked ??= createClient(options.host, options.token, () => undefined).config();
      asked.catch(() => {
        asked = undefined;
      });
      return asked;
    },
    changed: () => {
      for (const watch of watchers) watch();
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    emit: (event, detail) => {
      for (const listener of listeners.get(event) ?? []) listener(detail);
    },
    signOut() {
      replace(chat.person, undefined);
      page.emit('unauthorized');
    },
  };
  let chat = begin({ claims: options.claims, answers: [] }, options.userToken);

  function begin(person: Person, token: string | undefined, before?: Chat): Chat {
    const user = userOf(token);
    let view = before?.person === person ? before.view : {};
    if (user === undefined) return createChat(page, { person, view, storage: anonymous, token: undefined }, before);
    deleteOldMemories(options.token);
    const storage = createStorage(nameOf(options.token, user));
    if (before === undefined || (before.user === undefined && before.person === person)) {
      if (moveDraft(anonymous, storage)) view = {}; // the field shows both texts
      void adopt(storage);
    }
    person.user = user;
    return createChat(page, { person, view, storage, token }, before);
  }

  /** Takes over what the anonymous visitor has not sent, once no tab is sending it. */
  async function adopt(storage: Storage): Promise<void> {
    const tabs = createTabs(anonymous.name, () => {});
    await tabs.inTurn('send', async () => {
      for (const { uuid } of moveQueue(anonymous, storage)) tabs.tell({ kind: 'moved', uuid });
    });
    tabs.close();
    chat.resume();
  }

  function replace(person: Person, token: string | undefined): void {
    const before = chat;
    before.destroy();
    chat = begin(person, token, before);
    page.emit('unread', 0);
    page.changed();
    void chat.load();
  }

  return {
    chat: () => chat,
    options,
    watch: page.watch,
    on(event: string, listener: (detail: unknown) => void) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    /** Continues as this user. What anonymous visitors have not sent goes with them; what another user wrote stays theirs. */
    identify(token: string | undefined): void {
      const user = userOf(token);
      const { person } = chat;
      const isSame = person.user === undefined || person.user === user;
      if (user === chat.user) chat.renew(token);
      else replace(isSame ? person : { claims: undefined, answers: [] }, token);
    },
    setContext(context: object): void {
      options.message = { ...options.message, clientContext: { ...options.message?.clientContext, ...context } };
    },
  };
}
