import { type DraftRef, entryFrom, isEmpty, isSame, isTried, readDrafts, setEntry } from './draft-entries';

/**
 * Reads a draft that the server has otherwise than expected. One that was sent or deleted elsewhere goes here too, if
 * nothing was changed here. If both have a text, the member chooses.
 */
export async function meetChange(ref: DraftRef): Promise<void> {
  const theirs = (await readDrafts(ref.id)).drafts.find(({ kind }) => kind === ref.kind);
  setEntry(ref, (mine) => {
    if (isEmpty(mine) || (theirs === undefined ? mine.state === 'stored' : isSame(mine, theirs)))
      return entryFrom(theirs);
    if (theirs !== undefined && !isTried(ref, theirs)) return { ...mine, state: 'changed', theirs };
    return { ...mine, state: 'waiting', storedAt: theirs?.updated_at ?? null };
  });
}

/** Ends a conflict: with the draft of this page, or with the other one. */
export function choose(ref: DraftRef, choice: 'mine' | 'theirs'): void {
  setEntry(ref, ({ theirs, ...mine }) =>
    choice === 'mine' ? { ...mine, state: 'waiting', storedAt: theirs?.updated_at ?? null } : entryFrom(theirs),
  );
}
