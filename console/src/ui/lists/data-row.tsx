import { Link, type LinkProps } from '@tanstack/react-router';
import type { CSSProperties, ReactNode } from 'react';
import type { Selection } from './selection';

export interface Column<Row> {
  name: string;
  /** The width, as a track of a CSS grid: 8rem, minmax(0,1fr). */
  track: string;
  cell: (row: Row) => ReactNode;
  /** In a narrow window: in a separate line, or not at all. Beside others if nothing is said. */
  narrow?: 'line' | 'hidden';
  /** Numbers are at the end of their column. */
  isNumber?: boolean;
}

const BOX_TRACK = '1rem';
const tracksOf = <Row,>(columns: Column<Row>[], hasBoxes: boolean) =>
  ({ '--tracks': [...(hasBoxes ? [BOX_TRACK] : []), ...columns.map(({ track }) => track)].join(' ') }) as CSSProperties;

const GRID = 'min-[900px]:grid min-[900px]:grid-cols-(--tracks) min-[900px]:items-center min-[900px]:gap-x-4';

/** The names of the columns. In a narrow window, cells say by themselves what they are. */
export const ColumnNames = <Row,>({ columns, hasBoxes = false }: { columns: Column<Row>[]; hasBoxes?: boolean }) => (
  <div
    aria-hidden="true"
    className={`hidden h-8 shrink-0 border-b border-line bg-surface px-4 text-xs text-quiet ${GRID}`}
    style={tracksOf(columns, hasBoxes)}
  >
    {hasBoxes && <span />}
    {columns.map(({ name, isNumber }) => (
      <span key={name} className={isNumber ? 'text-right' : ''}>
        {name}
      </span>
    ))}
  </div>
);

interface RowProps<Row> {
  row: Row;
  columns: Column<Row>[];
  /** Where the row leads. Its first cell is the link, and all of the row is its target. */
  link: LinkProps | undefined;
  isFocusable: boolean;
  /** What selects it. */
  box?: ReactNode;
}

/** A row of a list: cells in columns, or one below and beside the other in a narrow window. */
export const DataRow = <Row,>({ row, columns, link, isFocusable, box }: RowProps<Row>) => (
  <div
    className={`relative flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-4 py-2 has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:-outline-offset-2 has-[[data-row]:focus-visible]:outline-(--ring) ${link === undefined ? '' : 'hover:bg-hover'} ${box === undefined ? '' : 'max-[899px]:pl-11'} ${GRID}`}
    style={tracksOf(columns, box !== undefined)}
  >
    {box}
    {columns.map(({ name, cell, narrow, isNumber }, n) => (
      <div
        key={name}
        className={`min-w-0 ${NARROW[narrow ?? 'beside']} ${isNumber ? 'tabular-nums min-[900px]:text-right' : ''}`}
      >
        {n > 0 && <span className="sr-only">{name}: </span>}
        {n === 0 && link !== undefined ? (
          <Link
            {...link}
            data-row=""
            tabIndex={isFocusable ? 0 : -1}
            className="font-medium after:absolute after:inset-0 focus-visible:outline-none"
          >
            {cell(row)}
          </Link>
        ) : (
          cell(row)
        )}
      </div>
    ))}
  </div>
);

/** The box that selects a row, or with Shift all rows from the one before. */
export const RowBox = ({ id, name, selection }: { id: string; name: string; selection: Selection }) => (
  <span className="z-1 grid size-4 place-items-center max-[899px]:absolute max-[899px]:top-3 max-[899px]:left-4 min-[900px]:relative">
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={`Select ${name}`}
      checked={selection.ids.has(id)}
      onChange={({ nativeEvent }) =>
        'shiftKey' in nativeEvent && nativeEvent.shiftKey === true ? selection.extendTo(id) : selection.toggle(id)
      }
      className="size-4 accent-(--accent) before:absolute before:-inset-3 before:content-['']"
    />
  </span>
);

const NARROW = { line: 'max-[899px]:w-full', hidden: 'max-[899px]:hidden', beside: '' };
