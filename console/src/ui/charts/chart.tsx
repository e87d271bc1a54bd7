import { useState } from 'react';
import { lazily } from '../lazily';
import { shownMoment } from '../times/time';
import type { ChartProps } from './chart-props';
import { type Part, PartsLegend } from './parts-bar';

const Plot = lazily(async () => (await import('./plot')).Plot);

/** Stacked bars over time, with the same numbers as a table. The numbers below are of the bar under the pointer, or of all. */
export const Chart = ({ shownTime = shownMoment, children, ...chart }: ChartProps) => {
  const { label, times, series } = chart;
  const [at, setAt] = useState<number>();
  const time = at === undefined ? undefined : times[at];
  const parts: Part[] = series.map(({ name, tone, values }) => ({
    name,
    tone,
    count: at === undefined ? values.reduce((sum, value) => sum + value, 0) : (values[at] ?? 0),
  }));
  return (
    <figure>
      <div role="img" aria-label={label} className="h-40">
        <Plot {...chart} onPoint={setAt} />
      </div>
      <div className="mt-1 flex min-h-5 flex-wrap items-center gap-x-3 text-xs">
        <span className="text-quiet">{time === undefined ? 'All together' : shownTime(time)}</span>
        <PartsLegend parts={parts} />
        {children}
      </div>
      <details className="mt-1">
        <summary className="w-fit cursor-pointer text-xs text-quiet hover:text-text">The numbers as a table</summary>
        <Numbers {...chart} shownTime={shownTime} />
      </details>
    </figure>
  );
};

const Numbers = ({
  label,
  times,
  series,
  shownTime,
}: Pick<ChartProps, 'label' | 'times' | 'series'> & { shownTime: (iso: string) => string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
  <section tabIndex={0} aria-label={label} className="mt-1 max-h-64 overflow-auto">
    <table className="w-full text-xs tabular-nums">
      <thead className="sticky top-0 bg-surface text-quiet">
        <tr>
          <th className="py-1 pr-3 text-left font-normal">Time</th>
          {series.map(({ name }) => (
            <th key={name} className="px-2 py-1 text-right font-normal first-letter:uppercase">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, n) => (
          <tr key={time} className="border-t border-line">
            <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
              {shownTime(time)}
            </th>
            {series.map(({ name, values }) => (
              <td key={name} className="px-2 py-1 text-right">
                {(values[n] ?? 0).toLocaleString()}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
