import { useSyncExternalStore } from 'react';

/** A member who views a session, or types in it. */
export interface Viewer {
  id: number;
  name: string;
  isTyping: boolean;
}

export interface PresenceEvent {
  type: 'presence';
  session_id: string;
  member: { id: number; name: string };
  state: 'viewing' | 'typing' | 'gone';
}

const NOBODY: Viewer[] = [];
const bySession = new Map<string, Viewer[]>();
const listeners = new Set<() => void>();

/** Notes who views and types where, as events tell it. */
export function notePresence({ session_id, member, state }: PresenceEvent): void {
  const others = (bySession.get(session_id) ?? NOBODY).filter(({ id }) => id !== member.id);
  const viewers = state === 'gone' ? others : [...others, { ...member, isTyping: state === 'typing' }];
  if (viewers.length === 0) bySession.delete(session_id);
  else bySession.set(session_id, viewers);
  for (const listener of listeners) listener();
}

/** Forgets who was where. A new stream begins with who is there. */
export function clearPresence(): void {
  bySession.clear();
  for (const listener of listeners) listener();
}

/** Returns who is where, as events. */
export const presentNow = (): PresenceEvent[] =>
  [...bySession].flatMap(([session_id, viewers]) =>
    viewers.map(({ id, name, isTyping }) => ({
      type: 'presence' as const,
      session_id,
      member: { id, name },
      state: isTyping ? ('typing' as const) : ('viewing' as const),
    })),
  );

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Returns who views a session, the member who is signed in among them. */
export const usePresence = (sessionId: string): Viewer[] =>
  useSyncExternalStore(subscribe, () => bySession.get(sessionId) ?? NOBODY);
