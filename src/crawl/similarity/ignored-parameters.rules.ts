/** A stored page, by its key. */
export interface LikePage {
  key: string;
  similarity: string;
}

/** Different pages that must have stayed the same with different values of a parameter. */
const MIN_PAGES = 3;

export interface IgnorableParameter {
  name: string;
  /** The key of a page without the parameter, and the page's similarity. */
  sample: LikePage;
}

/**
 * Returns the query parameters whose value changes while the page does not: several different pages are each the same
 * with every value, and no page is another with another value. One page that is always the same is no evidence.
 */
export function ignorableParametersOf(pages: readonly LikePage[]): IgnorableParameter[] {
  const byName = new Map<string, Map<string, Set<string>>>();
  const valuesOf = new Map<string, number>();
  const similaritiesByKey = new Map(pages.map(({ key, similarity }) => [key, similarity]));
  for (const { key, similarity } of pages) {
    for (const [name, rest] of keysWithoutOne(key)) {
      const groups = byName.get(name) ?? new Map<string, Set<string>>();
      byName.set(name, groups.set(rest, (groups.get(rest) ?? new Set()).add(similarity)));
      const id = `${name} ${rest}`;
      valuesOf.set(id, (valuesOf.get(id) ?? (similaritiesByKey.has(rest) ? 1 : 0)) + 1);
    }
  }
  return [...byName].flatMap(([name, groups]) => {
    const varied = [...groups].filter(([rest]) => (valuesOf.get(`${name} ${rest}`) ?? 0) > 1);
    const similarities = varied.map(
      ([rest, found]) => new Set([...found, similaritiesByKey.get(rest) ?? [...found][0]]),
    );
    const isAlwaysTheSame = similarities.every(({ size }) => size === 1);
    const distinct = new Set(similarities.flatMap((found) => [...found]));
    const [[key] = ['']] = varied;
    const similarity = groups.get(key)?.values().next().value;
    if (!isAlwaysTheSame || distinct.size < MIN_PAGES || similarity === undefined) return [];
    return [{ name, sample: { key, similarity } }];
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
