import type { ChatState, Person } from './core.ts';
import type { Storage } from './storage.ts';
import type { Activity } from './wire.ts';

const NO_ACTIVITY: Activity = { agent_typing: false, ai_label: null };
/** What is shown of no session. */
export const NO_SESSION = { session: undefined, items: [], activity: NO_ACTIVITY };

/** The chat that was on the page before. */
export interface Earlier {
  person: Person;
  user: string | undefined;
  state(): ChatState;
}

/** Returns what is shown at first: what waits, how the page was, and messages of the same person that were refused. */
export function beginState(person: Person, storage: Storage, before: Earlier | undefined): ChatState {
  const { queue, decided } = storage.get();
  const { isOpen = false, config, refusal, language, outgoing = [] } = before?.state() ?? {};
  const refused = before?.person === person && before.user === undefined ? outgoing.filter(({ error }) => error) : [];
  return {
    isOpen,
    config,
    refusal,
    language,
    items: [],
    outgoing: [...refused, ...queue],
    activity: NO_ACTIVITY,
    isOffline: false,
    decided,
    votes: {},
  };
}
