import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';

/** Stands for the customer among the members. */
export const CUSTOMER = { id: 0, name: 'The customer' };

/** The customer writes in a widget, or has stopped, as the stream says it. */
export interface TypingEvent {
  type: 'contact_typing';
  session_id: string;
  state: 'typing' | 'gone';
}

/** Somebody who views a conversation, or types in it, as the stream says it. */
export interface PresenceEvent {
  type: 'presence';
  session_id: string;
  member: { id: number; name: string };
  state: 'viewing' | 'typing' | 'gone';
}

export const presenceQuery = queryOptions<PresenceEvent[]>({
  queryKey: ['presence'],
  queryFn: () => [],
  enabled: false,
  initialData: [],
  gcTime: Number.POSITIVE_INFINITY,
});

/** Replaces what was known of a member, or the customer, in a session. */
export function notePresence(client: QueryClient, heard: PresenceEvent | TypingEvent): void {
  const event: PresenceEvent = heard.type === 'presence' ? heard : { ...heard, type: 'presence', member: CUSTOMER };
  client.setQueryData(presenceQuery.queryKey, (board = []) => {
    const others = board.filter(
      ({ session_id, member }) => session_id !== event.session_id || member.id !== event.member.id,
    );
    return event.state === 'gone' ? others : [...others, event];
  });
}

/** Forgets everybody. A stream begins with all present members. */
export const clearPresence = (client: QueryClient): void => void client.setQueryData(presenceQuery.queryKey, []);

/** Returns the other members who are present in a session. */
export function usePresent(sessionId: string, myId: number | undefined): PresenceEvent[] {
  const select = (board: PresenceEvent[]) =>
    board.filter(({ session_id, member }) => session_id === sessionId && member.id !== myId);
  return useQuery({ ...presenceQuery, select }).data;
}
