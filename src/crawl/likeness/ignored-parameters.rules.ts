/** A stored page, by its key. */
export interface LikePage {
  key: string;
  likeness: string;
}

/** Different pages that must have stayed the same with different values of a parameter. */
const MIN_PAGES = 3;

export interface IgnorableParameter {
  name: string;
  /** The key of a page without the parameter, and the page's likeness. */
  sample: LikePage;
}

/**
 * Returns the query parameters whose value changes while the page does not: several different pages are each the same
 * with every value, and no page is another with another value. One page that is always the same is no evidence.
 */
export function ignorableParametersOf(pages: readonly LikePage[]): IgnorableParameter[] {
  const byName = new Map<string, Map<string, Set<string>>>();
  const valuesOf = new Map<string, number>();
  const likenessesByKey = new Map(pages.map(({ key, likeness }) => [key, likeness]));
  for (const { key, likeness } of pages) {
    for (const [name, rest] of keysWithoutOne(key)) {
      const groups = byName.get(name) ?? new Map<string, Set<string>>();
      byName.set(name, groups.set(rest, (groups.get(rest) ?? new Set()).add(likeness)));
      const id = `${name} ${rest}`;
      valuesOf.set(id, (valuesOf.get(id) ?? (likenessesByKey.has(rest) ? 1 : 0)) + 1);
    }
  }
  return [...byName].flatMap(([name, groups]) => {
    const varied = [...groups].filter(([rest]) => (valuesOf.get(`${name} ${rest}`) ?? 0) > 1);
    const likenesses = varied.map(([rest, found]) => new Set([...found, likenessesByKey.get(rest) ?? [...found][0]]));
    const isAlwaysTheSame = likenesses.every(({ size }) => size === 1);
    const distinct = new Set(likenesses.flatMap((found) => [...found]));
    const [[key] = ['']] = varied;
    const likeness = groups.get(key)?.values().next().value;
    if (!isAlwaysTheSame || distinct.size < MIN_PAGES || likeness === undefined) return [];
    return [{ name, sample: { key, likeness } }];
  });
}

/** Returns for each parameter of a key its name, and the key without it. */
function* keysWithoutOne(key: string): Generator<[string, string]> {
  const [path = '', query = ''] = splitKey(key);
  for (const name of new Set(new URLSearchParams(query).keys())) {
    const parameters = new URLSearchParams(query);
    parameters.delete(name);
    const rest = parameters.toString();
    yield [name, rest === '' ? path : `${path}?${rest}`];
  }
}

function splitKey(key: string): [string, string] {
  const at = key.indexOf('?');
  return at === -1 ? [key, ''] : [key.slice(0, at), key.slice(at + 1)];
}
