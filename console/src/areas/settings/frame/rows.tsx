import type { ReactNode } from 'react';

interface RowsProps<Item> {
  label: string;
  items: Item[];
  keyOf: (item: Item) => string;
  /** What a row says. */
  children: (item: Item) => ReactNode;
  /** What can be done with it. */
  actions?: ((item: Item) => ReactNode) | false | undefined;
}

/** The rows of a short list that is read whole. */
export const Rows = <Item,>({ label, items, keyOf, children, actions }: RowsProps<Item>) => (
  <ul aria-label={label} className="rounded-lg border border-line bg-surface">
    {items.map((item) => (
      <li
        key={keyOf(item)}
        className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5 last:border-0"
      >
        <div className="min-w-0 flex-1 basis-56">{children(item)}</div>
        {actions && <div className="flex flex-wrap items-center gap-1">{actions(item)}</div>}
      </li>
    ))}
  </ul>
);
