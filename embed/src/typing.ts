import type { Core } from './core.ts';

/** The server forgets who types after eight seconds. */
const REPEAT_MS = 4_000;

/** Tells agents that the visitor writes, once in a while, and that they have stopped. */
export function createTyping({ client, state }: Core): (text: string) => void {
  let toldAt = 0;
  return (text) => {
    const { session } = state();
    const isTyping = text !== '';
    if (!session || (isTyping ? Date.now() - toldAt < REPEAT_MS : toldAt === 0)) return;
    toldAt = isTyping ? Date.now() : 0;
    const said = { session_id: session.id, state: isTyping ? 'typing' : 'gone' };
    client.post('typing', said).catch(() => {}); // the next one says it again
  };
}
