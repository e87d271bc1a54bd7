import type { ReactNode } from 'react';

interface PageProps {
  title: ReactNode;
  /** Other pages of the area. */
  tabs?: ReactNode;
  /** What can be done with all that the page shows. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its title above, whose parts scroll by themselves. */
export const Page = ({ title, tabs, actions, children }: PageProps) => (
  <div className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
    <header className="shrink-0 border-b border-line px-4 pt-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-3">
        <h1 className="min-w-0 flex-1 truncate text-lg font-semibold">{title}</h1>
        {actions}
      </div>
      {tabs}
    </header>
    {children}
  </div>
);

/** Pages of an area, as links of TAB. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className="-mb-px flex gap-1 overflow-x-auto">
    {children}
  </nav>
);

/** The classes of a link in Tabs. The router marks the current one. */
export const TAB =
  'flex h-9 items-center border-b-2 border-transparent px-2.5 whitespace-nowrap text-quiet hover:text-text aria-[current=page]:border-(--accent) aria-[current=page]:font-medium aria-[current=page]:text-text';
