import leven from 'leven';

/** Of a longer name nothing more is read or said. */
export const MAX_NAME_LENGTH = 100;
/** A name that differs in more characters is another word. */
const MAX_TYPOS = 3;

/** Returns the known name that was probably meant by another one. Undefined if none is near. */
export function nearestName(name: string, names: string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const plain = (text: string) => text.replace(/[_-]/g, '').toLowerCase();
  const ranked = names
    .map((known) => {
      const [one, other] = [plain(name), plain(known)];
      return { known, typos: one.startsWith(other) || other.startsWith(one) ? 1 : leven(one, other) };
    })
    .sort((one, other) => one.typos - other.typos);
  const [first] = ranked;
  return first !== undefined && first.typos <= Math.min(MAX_TYPOS, first.known.length / 2) ? first.known : undefined;
}

/** Says that a field is unknown, and which one was probably meant. */
export const unknownName = (nearest: string | undefined): string =>
  nearest === undefined ? 'is not known here' : `is not known here: did you mean ${nearest}?`;
