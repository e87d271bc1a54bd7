import { api, dataOf, type Schemas } from '../../api/client';

type Session = Schemas['ChatSession'];

/** What a change has made that is undone. */
export type Undone =
  | Pick<Session, 'assignee_id'>
  | Pick<Session, 'status'>
  | { snooze: Pick<Session, 'snoozed_until'> };

/** Returns the header of an undo. Throws if the session is no longer as the undone change has made it. */
export async function headerOfUndo(id: string, undone: Undone) {
  const now = await dataOf(api.GET('/chat/sessions/{id}', { params: { path: { id } } }));
  if (!isAsMade(now, undone)) throw new Error('Somebody has changed it since: nothing is undone');
  return { 'if-match': now.updated_at };
}

function isAsMade(now: Session, undone: Undone): boolean {
  if ('assignee_id' in undone) return now.assignee_id === undone.assignee_id;
  if ('status' in undone) return now.status === undone.status;
  return now.snoozed_at !== null && now.snoozed_until === undone.snooze.snoozed_until;
}
