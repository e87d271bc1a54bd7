/** Returns JSON whose objects have their names in order, at any depth. Equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, inside]) => inside !== undefined);
  const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, inside]) => `${JSON.stringify(key)}:${canonicalJson(inside)}`).join(',')}}`;
}
