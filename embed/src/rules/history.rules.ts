interface Identified {
  publicId: string;
}

/** Returns a history with newer items: those that it has are replaced in their places, others are appended. */
export function mergeItems<Item extends Identified>(known: Item[], newer: Item[]): Item[] {
  if (newer.length === 0) return known;
  const byId = new Map(newer.map((item) => [item.publicId, item]));
  const kept = known.map((item) => byId.get(item.publicId) ?? item);
  const ids = new Set(known.map(({ publicId }) => publicId));
  return [...kept, ...newer.filter(({ publicId }) => !ids.has(publicId))];
}

export interface Field {
  name: string;
  value: string;
  /** The group of the argument. */
  in?: string | undefined;
}

/** Returns the arguments of a form from its fields. A value that was a number, true or false stays one. */
export function argumentsOf(fields: Field[], edited: string[]): Record<string, unknown> {
  const groups = new Map<string, [string, unknown][]>();
  for (const [index, { name, value, in: group = 'body_params' }] of fields.entries()) {
    const members = groups.get(group) ?? [];
    members.push([name, sameKind(value, edited[index] ?? value)]);
    groups.set(group, members);
  }
  return Object.fromEntries([...groups].map(([group, members]) => [group, Object.fromEntries(members)]));
}

const TYPED = /^(?:-?\d+(?:\.\d+)?|true|false|[[{].*)$/s;

function sameKind(before: string, now: string): unknown {
  if (!TYPED.test(before) || !TYPED.test(now.trim())) return now;
  try {
    return JSON.parse(now);
  } catch {
    return now;
  }
}
