import { elementAt } from '../checked-access.ts';
import { readDoubles } from '../db/doubles.ts';
import { percentilesOf } from '../percentiles.ts';
import type { GroupRow, Groups } from './grouping.queries.ts';

const PERCENTS = [50, 90];

/** The figures of each key, and of all. */
export interface Reported<Figures> {
  items: (Figures & { key: string | null; name: string | null })[];
  totals: Figures;
}

/** Returns the figures of groups as they are answered: the seconds of a group are replaced by their percentiles. */
export async function figuresOf<Figures>({ rows, times }: Groups): Promise<Reported<Figures>> {
  const counts = rows.map((row) => ({ ...row }));
  for (const time of times) await replaceByPercentiles(counts, time);
  return {
    items: counts.slice(0, -1) as unknown as Reported<Figures>['items'],
    totals: elementAt(counts, -1) as unknown as Figures,
  };
}

/** Replaces the seconds of each key by their percentiles. The last row, the total, has the percentiles of all. */
async function replaceByPercentiles(rows: GroupRow[], time: string): Promise<void> {
  const seconds = readDoubles(rows.slice(0, -1).map((row) => row[time] as string | null));
  const percentiles = await percentilesOf(
    seconds,
    PERCENTS.map((percent) => percent / 100),
  );
  for (const [nth, row] of rows.entries()) {
    const ofRow = elementAt(percentiles, nth);
    delete row[time];
    for (const [place, percent] of PERCENTS.entries()) row[`${time}_p${percent}_seconds`] = ofRow[place];
  }
}
