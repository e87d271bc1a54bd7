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

export interface Core {
  options: Options;
  client: Client;
  storage: Storage;
  tabs: Tabs;
  state(): ChatState;
  set(change: Partial<ChatState>): void;
  /** Takes what a poll of any tab has found. */
  receive(polled: Polled): void;
  /** Forgets a visitor whom the server does not know any more. What waits to be sent stays. */
  forget(): void;
  emit(event: string, detail?: unknown): void;
}
