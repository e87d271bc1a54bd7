import { elementAt } from '../../collections/checked-access.ts';
import { readDoubles } from '../../db/doubles.ts';
import { percentilesOf } from '../../db/percentiles.ts';
import type { GroupRow, Groups } from './shared.queries.ts';

const PERCENTS = [50, 90];

/** The figures of each key, and of all. */
interface Reported<Figures> {
  items: (Figures & { key: string | null; name: string | null })[];
  totals: Figures;
}

/** Returns the figures of groups as they are answered. In the groups, it replaces the seconds by their percentiles. */
export async function figuresOf<Figures>({ rows, times }: Groups): Promise<Reported<Figures>> {
  for (const time of times) await replaceByPercentiles(rows, time);
  return {
    items: rows.slice(0, -1) as unknown as Reported<Figures>['items'],
    totals: elementAt(rows, -1) as unknown as Figures,
  };
}

/** Replaces the seconds of each key by their percentiles. The last row, the total, has the percentiles of all. */
async function replaceByPercentiles(rows: GroupRow[], time: string): Promise<void> {
  const seconds = readDoubles(rows.slice(0, -1).map((row) => row[time] as string | null));
  for (const row of rows) delete row[time]; // a large text
  const percentiles = await percentilesOf(
    seconds,
    PERCENTS.map((percent) => percent / 100),
  );
  for (const [nth, row] of rows.entries()) {
    const ofRow = elementAt(percentiles, nth);
    for (const [place, percent] of PERCENTS.entries()) row[`${time}_p${percent}_seconds`] = ofRow[place];
  }
}
