import { Link, type LinkProps } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import { say } from '../../app/undo';
import { Button } from '../../ui/parts';
import { type Figure, shownFigure } from './figures';

export interface TableRow {
  key: string;
  name: string;
  values: Record<string, string | number | null>;
  linkOf: (figure: string) => LinkProps | undefined;
}

interface TableProps {
  label: string;
  /** What the rows are: days, channels. */
  group: string;
  figures: Figure[];
  rows: TableRow[];
}

const numberOf = (value: string | number | null | undefined): number | null =>
  typeof value === 'number' ? value : null;

/** So many rows come into a table with each frame: those of a year at once would hold up the chart above it. */
const ROWS_A_FRAME = 100;

/** Returns how many of the rows of a table are there: more with each frame, until all are. */
function useGrowing(count: number): number {
  const [shown, show] = useState(ROWS_A_FRAME);
  useEffect(() => {
    if (shown >= count) return;
    const frame = requestAnimationFrame(() => show(shown + ROWS_A_FRAME));
    return () => cancelAnimationFrame(frame);
  }, [shown, count]);
  return shown;
}

/** The numbers of a report. Each leads to the list of its items, if there is one. */
export const FigureTable = memo(({ label, group, figures, rows }: TableProps) => {
  const shown = useGrowing(rows.length);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
    <section tabIndex={0} aria-label={label} aria-busy={shown < rows.length} className="max-h-96 overflow-auto">
      <table className="w-full text-xs tabular-nums">
        <thead className="sticky top-0 z-1 bg-surface text-quiet">
          <tr>
            <th scope="col" className="py-1.5 pr-3 pl-4 text-left font-normal">
              {group}
            </th>
            {figures.map(({ key, name }) => (
              <th key={key} scope="col" className="px-2 py-1.5 text-right font-normal last:pr-4">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <Row key={row.key} row={row} figures={figures} />
          ))}
        </tbody>
      </table>
    </section>
  );
});

/** Rendered once, while more rows come. */
const Row = memo(({ row, figures }: { row: TableRow; figures: Figure[] }) => (
  <tr className="border-t border-line">
    <th scope="row" className="py-1 pr-3 pl-4 text-left font-normal whitespace-nowrap">
      {row.name}
    </th>
    {figures.map(({ key, kind }) => (
      <td key={key} className="px-2 py-1 text-right whitespace-nowrap last:pr-4">
        <Figured
          text={shownFigure(numberOf(row.values[key]), kind)}
          link={numberOf(row.values[key]) ? row.linkOf(key) : undefined}
        />
      </td>
    ))}
  </tr>
));

/** A number, as a link where something is listed behind it. */
export const Figured = ({ text, link }: { text: string; link: LinkProps | undefined }) =>
  link === undefined ? (
    text
  ) : (
    <Link {...link} className="inline-flex min-h-6 min-w-6 items-center justify-end text-link hover:underline">
      {text}
    </Link>
  );

/** Copies the table: numbers as the API gave them, times in seconds and shares from 0 to 1 (RFC 4180). */
export const CopyCsv = ({ group, figures, rows }: Omit<TableProps, 'label'>) => {
  const copy = async () => {
    const lines = rows.map(({ name, values }) => [name, ...figures.map(({ key }) => values[key] ?? '')]);
    await navigator.clipboard.writeText(csvOf([[group, ...figures.map(({ key }) => key)], ...lines]));
    say('Copied as CSV');
  };
  return (
    <Button onClick={() => void copy().catch(() => say('The browser did not allow to copy', { isError: true }))}>
      <Copy size={14} aria-hidden="true" />
      Copy as CSV
    </Button>
  );
};

/** A text that a spreadsheet would run as a formula gets an apostrophe before it, as in the CSV of the API. */
const cellOf = (value: string | number): string => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const csvOf = (rows: (string | number)[][]): string => rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
