import { elementAt } from '../collections/checked-access.ts';
import { inlineOf, type MarkdownContext, oneLine } from './inline.ts';
import { type Element, isElement } from './tree.ts';

interface Row {
  cells: Element[];
  isHead: boolean;
}

const SECTIONS = new Set(['thead', 'tbody', 'tfoot']);
const MAX_COLUMNS = 50;
const MAX_REPEATED_CELLS = 100;

/** Returns a table's rows, without those of nested tables. */
export function rowsOf(table: Element, isKept: (element: Element) => boolean): Row[] {
  const rows: Row[] = [];
  const collect = (element: Element, isHead: boolean) => {
    for (const child of element.children) {
      if (!isElement(child) || !isKept(child)) continue;
      if (SECTIONS.has(child.name)) collect(child, child.name === 'thead');
      else if (child.name === 'tr') rows.push({ cells: cellsOf(child, isKept), isHead });
    }
  };
  collect(table, false);
  return rows.filter(({ cells }) => cells.length > 0);
}

/** Whether a table contains data rather than layout. */
export function isDataTable({ attributes }: Element, rows: Row[]): boolean {
  if (attributes.role === 'presentation' || attributes.role === 'none') return false;
  const cells = rows.flatMap((row) => row.cells);
  return rows.length > 1 && rows.some((row) => row.cells.length > 1) && !cells.some((cell) => hasContent(cell));
}

/** Converts a table to Markdown. Cells spanning several rows are repeated in each, because rows are read separately. */
export function tableOf(rows: Row[], context: MarkdownContext): string {
  const grid: string[][] = rows.map(() => []);
  for (const [nth, { cells }] of rows.entries()) {
    let column = 0;
    for (const cell of cells) {
      while (grid[nth]?.[column] !== undefined) column += 1;
      if (column >= MAX_COLUMNS) break;
      const text = oneLine(inlineOf(cell, context)).replaceAll('|', '\\|');
      const columns = spanOf(cell.attributes.colspan, MAX_COLUMNS - column);
      const down = spanOf(cell.attributes.rowspan, rows.length - nth);
      for (let row = nth; row < nth + down; row += 1) {
        for (let at = column; at < column + columns; at += 1) {
          const isRepeated = row > nth && text.length > MAX_REPEATED_CELLS;
          elementAt(grid, row)[at] = at > column || isRepeated ? '' : text;
        }
      }
      column += columns;
    }
  }
  const width = Math.max(...grid.map((row) => row.length));
  const lineOf = (row: string[]) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`;
  const hasHead = rows[0]?.isHead === true || rows[0]?.cells.every(({ name }) => name === 'th') === true;
  const head = (hasHead ? grid.shift() : undefined) ?? [];
  return [lineOf(head), `|${' --- |'.repeat(width)}`, ...grid.map(lineOf)].join('\n');
}

const cellsOf = (row: Element, isKept: (element: Element) => boolean) =>
  row.children
    .filter(isElement)
    .filter((child) => (child.name === 'td' || child.name === 'th') && isKept(child))
    .slice(0, MAX_COLUMNS);

/** Whether a cell has content impossible in a Markdown table. */
const hasContent = (cell: Element): boolean =>
  cell.hasBlocks &&
  cell.children.some(
    (child) => isElement(child) && (child.name === 'table' || child.name === 'pre' || hasContent(child)),
  );

const spanOf = (value: string | undefined, most: number) =>
  Math.max(1, Math.min(Number.parseInt(value ?? '1', 10) || 1, most));
