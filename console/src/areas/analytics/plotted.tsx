import type { ReportItem } from '../../api/analytics';
import { FILLS, type Tone } from '../../ui/charts/parts-bar';
import { Plot } from '../../ui/charts/plot';
import { localBeginning } from './days';

const SECONDS_PER_MINUTE = 60;

interface PlottedProps {
  label: string;
  /** First days of periods, in order. */
  days: string[];
  items: ReadonlyMap<string, ReportItem>;
  series: { key: string; name: string; tone: Tone }[];
  /** The first series is a time in seconds, and the second one more of the same: not both together. */
  isSpread: boolean;
  onPoint: (day: string | undefined) => void;
}

/** A report over time as stacked bars. The table below it has the numbers. */
export const Plotted = ({ label, days, items, series, isSpread, onPoint }: PlottedProps) => {
  const figureOf = (day: string, key: string): number => Number(items.get(day)?.[key] ?? 0);
  const stacked = series.map(({ name, tone, key }, n) => {
    const below = isSpread ? series[n - 1]?.key : undefined;
    const values = days.map((day) => {
      const value = below === undefined ? figureOf(day, key) : Math.max(0, figureOf(day, key) - figureOf(day, below));
      return isSpread ? value / SECONDS_PER_MINUTE : value;
    });
    return { name, tone, values };
  });
  return (
    <figure className="p-4">
      <div role="img" aria-label={label} className="h-48">
        <Plot
          times={days.map(localBeginning)}
          series={stacked}
          onRange={undefined}
          onPoint={(at) => onPoint(at === undefined ? undefined : days[at])}
        />
      </div>
      <ul className="mt-1 flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-quiet">
        {series.map(({ key, name, tone }) => (
          <li key={key} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-full ${FILLS[tone]}`} />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  );
};
