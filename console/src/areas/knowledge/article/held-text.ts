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

/** Returns the changes not saved yet, over the article as saved. Undefined: all are saved. */
export function writtenSince(sent: Written, held: Held | undefined, { updated_at }: Article): Held | undefined {
  if (held === undefined || JSON.stringify(held.written) === JSON.stringify(sent)) return undefined;
  return { written: held.written, updatedAt: updated_at };
}

/** The text that this tab keeps of an article until it is saved, also after its page was left. */
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
