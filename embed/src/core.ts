import type { Client } from './client.ts';
import type { Options } from './options.ts';
import type { Memory, Outgoing, Storage } from './storage.ts';
import type { Tabs } from './tabs.ts';
import type { Activity, Config, Item, Polled, Session } from './wire.ts';
import type { Language } from './words.ts';

/** What the page shows. */
export interface ChatState {
  isOpen: boolean;
  config?: Config;
  /** Why the widget cannot be used on this page. */
  refusal?: string;
  /** Loaded with the panel. */
  language?: Language;
  session?: Session;
  items: Item[];
  outgoing: Outgoing[];
  activity: Activity;
  isOffline: boolean;
  /** Why something failed; empty if nothing more is known. */
  error?: string;
  decided: Memory['decided'];
  votes: Record<string, boolean>;
}

/** Who writes on this page: at first anonymous, later perhaps a user. */
export interface Person {
  /** Known also after the server has refused the token. */
  user?: string | undefined;
  claims: Options['claims'];
  /** The answers to the page's fields, a line each. */
  answers: string[];
}

/** What the chats of all persons on a page share. */
export interface Page {
  options: Options;
  config(): Promise<Config>;
  changed(): void;
  /** Calls a watcher at each change, and returns what ends that. */
  watch(watcher: () => void): () => void;
  emit(event: string, detail?: unknown): void;
  /** Continues with an anonymous visitor, as the server does not take the user's token any more. */
  signOut(): void;
}

export interface Core {
  options: Options;
  person: Person;
  client: Client;
  storage: Storage;
  tabs: Tabs;
  state(): ChatState;
  set(change: Partial<ChatState>): void;
  /** The token of the user. Undefined for an anonymous visitor. */
  userToken(): string | undefined;
  /** Takes what a poll of any tab has found: the whole history, or what came after the items that the tab knows. */
  receive(polled: Polled, isWhole: boolean): void;
  /** Forgets a visitor whose token the server has refused. What waits to be sent stays. */
  forget(refused: { bearer: string | undefined }): void;
  /** Forgets a session that the server does not find, unless another one has followed. */
  forgetSession(id: string | undefined): void;
  emit(event: string, detail?: unknown): void;
}
