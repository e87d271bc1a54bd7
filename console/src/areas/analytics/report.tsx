import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type AnalyticsSearch, type ReportFilters, type ReportItem, reportQuery } from '../../api/analytics';
import { Empty, failureOf, Skeleton } from '../../ui/parts';
import { Section } from '../../ui/section';
import { beginningOf, isPeriod, nextAfter, type Period, periodsOf, plusDays, shownDate } from './days';
import { CopyCsv, FigureTable, type TableRow } from './figure-table';
import { type Counted, GROUP_NAMES, type Shown, shownFigure } from './figures';
import { Plotted } from './plotted';
import { type Range, rangeBefore } from './range';
import { Tiles } from './tiles';

interface ReportProps {
  shown: Shown;
  by: string;
  range: Range;
  zone: string;
  search: AnalyticsSearch;
}

/** A report: its figures beside those of the period before, a chart over time, and the numbers as a table. */
export const Report = ({ shown, by, range, zone, search: { channel, team } }: ReportProps) => {
  const [pointed, point] = useState<string>();
  const narrowed = shown.isOfSessions ? { channel, team_id: team } : {};
  const filtersOf = ({ from, to }: Range): ReportFilters => ({ from, to, group_by: by, ...narrowed });
  const report = useQuery(reportQuery(shown.report, filtersOf(range)));
  const earlier = rangeBefore(range, zone);
  const before = useQuery(reportQuery(shown.report, { ...filtersOf(earlier), group_by: 'month' }));
  const linkOf = (figure: string): LinkProps | undefined => shown.linkOf?.(figure, { ...range, by, channel, team });
  const found = report.data?.items;
  const rows = useMemo((): TableRow[] => {
    if (found === undefined) return [];
    const rowsOf = { shown, items: found, counted: { ...range, by, channel, team } };
    return isPeriod(by) ? rowsOfPeriods({ ...rowsOf, by, range, zone }) : rowsOfGroups(rowsOf);
  }, [shown, found, range, by, channel, team, zone]);
  const failure = failureOf(report);
  if (report.data === undefined) return failure || <Skeleton rows={8} />;
  const { items, totals } = report.data;
  const at = rows.find(({ key }) => key === pointed);
  return (
    <Section
      title={shown.title}
      actions={<CopyCsv group={GROUP_NAMES[by] ?? by} figures={shown.figures} rows={rows} />}
    >
      {failure}
      <Tiles figures={shown.figures} totals={totals} before={before.data?.totals} linkOf={linkOf} />
      <p className="px-4 pt-2 text-xs text-quiet">
        {shownDate(range.first)} to {shownDate(range.last)}, in the time zone {zone}. Compared with{' '}
        {shownDate(earlier.first)} to {shownDate(earlier.last)}
        {before.error !== null && `, which could not be read: ${before.error.message}`}.
        {shown.note !== undefined && ` ${shown.note}`}
      </p>
      {items.length === 0 ? (
        <Empty title="Nothing in these days">Choose another range above.</Empty>
      ) : (
        <>
          {isPeriod(by) && (
            <>
              <Plotted
                label={`${shown.title} by ${by}`}
                days={rows.map(({ key }) => key)}
                items={new Map(items.map((item) => [item.key ?? '', item]))}
                series={shown.chart}
                isSpread={shown.isSpread === true}
                onPoint={point}
              />
              <p aria-hidden="true" className="min-h-5 px-4 text-xs text-quiet">
                {at !== undefined && `${at.name}: ${said(shown, at)}`}
              </p>
            </>
          )}
          <FigureTable
            label={`${shown.title} as a table`}
            group={GROUP_NAMES[by] ?? by}
            figures={shown.figures}
            rows={rows}
          />
        </>
      )}
    </Section>
  );
};

/** Returns the charted figures of a row in words. */
const said = ({ chart, figures }: Shown, { values }: TableRow): string =>
  chart
    .map(({ key, name }) => {
      const value = values[key];
      const kind = figures.find((figure) => figure.key === key)?.kind ?? 'count';
      return `${shownFigure(typeof value === 'number' ? value : null, kind)} ${name}`;
    })
    .join(', ');

interface RowsOf {
  shown: Shown;
  items: ReportItem[];
  counted: Counted;
}

/** Returns a row for each period of the range, also for those without anything. */
function rowsOfPeriods({
  shown,
  by,
  range,
  zone,
  items,
  counted,
}: RowsOf & { by: Period; range: Range; zone: string }): TableRow[] {
  const found = new Map(items.map((item) => [item.key, item]));
  return periodsOf(by, range.first, range.last).map((day) => {
    /** Only links need it: a year has 365 days, and when they begin in a zone takes time to find. */
    let within: Counted | undefined;
    return {
      key: day,
      name: by === 'month' ? shownMonth(day) : shownDate(day),
      values: found.get(day) ?? zeroOf(shown),
      linkOf: (figure) => {
        within ??= periodOf(day, { by, range, zone, counted });
        return shown.linkOf?.(figure, within);
      },
    };
  });
}

/** Returns what a period of a range covers. */
function periodOf(
  day: string,
  { by, range, zone, counted }: { by: Period; range: Range; zone: string; counted: Counted },
): Counted {
  const first = laterOf(day, range.first);
  const last = earlierOf(plusDays(nextAfter(by, day), -1), range.last);
  const moments = { from: beginningOf(first, zone), to: beginningOf(plusDays(last, 1), zone) };
  return { ...counted, key: day, first, last, ...moments };
}

const laterOf = (one: string, other: string): string => (one < other ? other : one);
const earlierOf = (one: string, other: string): string => (one < other ? one : other);

const shownMonth = (day: string): string =>
  new Date(day).toLocaleDateString(undefined, { timeZone: 'UTC', month: 'long', year: 'numeric' });

const zeroOf = ({ figures }: Shown): TableRow['values'] =>
  Object.fromEntries(figures.map(({ key, kind }) => [key, kind === 'count' || kind === 'cost' ? 0 : null]));

const rowsOfGroups = ({ shown, items, counted }: RowsOf): TableRow[] =>
  items.map((item) => ({
    key: item.key ?? '',
    name: item.name ?? item.key ?? 'None',
    values: item,
    linkOf: (figure) => shown.linkOf?.(figure, { ...counted, key: item.key }),
  }));
