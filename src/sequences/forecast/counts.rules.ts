/** Some reasons name a time, and may differ for each contact. Those past this number are counted together. */
const MAX_VALUES = 100;
const OTHERS = 'other reasons';

/** Counts a value in a list of counts by the key `key`, in the order in which the values first come. */
export function incrementCount<Key extends string>(
  counts: ({ [K in Key]: string } & { count: number })[],
  key: Key,
  value: string,
): void {
  const last = counts.length > MAX_VALUES ? counts.at(-1) : undefined;
  const known = counts.find((entry) => entry[key] === value) ?? last;
  if (known !== undefined) known.count++;
  else {
    const name = counts.length < MAX_VALUES ? value : OTHERS;
    counts.push({ [key]: name, count: 1 } as { [K in Key]: string } & { count: number });
  }
}
