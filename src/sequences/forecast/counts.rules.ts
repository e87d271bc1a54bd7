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

const HOUR_MS = 3_600_000;
const COUNTED_HOURS = 7 * 24;

/** Counts the sends of each step by the hour, up to seven days from now. */
export function createHourCounts(now: Date) {
  const end = now.getTime() + COUNTED_HOURS * HOUR_MS;
  const counts = new Map<number, Map<number, number>>();
  return {
    add(index: number, at: Date): void {
      if (at.getTime() >= end) return;
      const hour = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
      const ofStep = counts.get(index) ?? new Map<number, number>();
      counts.set(index, ofStep.set(hour, (ofStep.get(hour) ?? 0) + 1));
    },
    of: (index: number) =>
      [...(counts.get(index) ?? [])]
        .toSorted(([one], [other]) => one - other)
        .map(([hour, recipients]) => ({ at: new Date(hour), recipients })),
  };
}
