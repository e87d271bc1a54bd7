import { api, dataOf, type Schemas } from '../../api/client';

type Session = Schemas['ChatSession'];

/** Returns the header of a change that takes one back. Throws if somebody has changed the same since. */
export async function headerOfUndo(id: string, made: Partial<Session>) {
  const now = await dataOf(api.GET('/chat/sessions/{id}', { params: { path: { id } } }));
  const isSame = Object.entries(made).every(([name, value]) => now[name as keyof Session] === value);
  if (!isSame) throw new Error('Somebody has changed it since: nothing is undone');
  return { 'if-match': now.updated_at };
}
