import type { Schemas } from '../../../api/client';
import type { Article } from '../../../api/knowledge';

/** An article as its form has it. */
export type Written = Required<
  Pick<
    Schemas['CreateTraining'],
    'title' | 'content' | 'type' | 'visibility' | 'directory_id' | 'restricted_to_channels'
  >
>;

/** What was written and not yet saved, together with the state of the article it was written over. */
interface Held {
  written: Written;
  updatedAt: string | undefined;
}

/** Returns what is held beyond what was sent and saved, over the article as it is then. Undefined: all of it is saved. */
export function writtenSince(sent: Written, held: Held | undefined, { updated_at }: Article): Held | undefined {
  if (held === undefined || JSON.stringify(held.written) === JSON.stringify(sent)) return undefined;
  return { written: held.written, updatedAt: updated_at };
}

/** What this tab of the browser keeps of an article until it is saved: a page that is left takes nothing with it. */
export function heldText(id: string) {
  const key = `article ${id}`;
  return {
    get: (): Held | undefined => {
      const text = sessionStorage.getItem(key);
      return text === null ? undefined : (JSON.parse(text) as Held);
    },
    set: (held: Held) => sessionStorage.setItem(key, JSON.stringify(held)),
    clear: () => sessionStorage.removeItem(key),
  };
}
