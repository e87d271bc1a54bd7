import type { ReactNode } from 'react';
import { useKeptFocus } from './kept-focus';

interface PageProps {
  title: ReactNode;
  /** Other pages of the area. */
  tabs?: ReactNode;
  /** The actions on everything the page shows. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its title above, whose parts scroll by themselves. */
export const Page = ({ title, tabs, actions, children }: PageProps) => (
  <div ref={useKeptFocus()} tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface outline-none">
    <header className="shrink-0 border-b border-line px-4 pt-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-3">
        <h1 className="min-w-0 flex-1 basis-40 truncate text-lg font-semibold">{title}</h1>
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
  'flex h-9 items-center border-b-2 border-transparent px-1 min-[480px]:px-2.5 whitespace-nowrap text-quiet hover:text-text aria-[current=page]:border-(--accent) aria-[current=page]:font-medium aria-[current=page]:text-text';

/** What scrolls of a page. A keyboard scrolls it too. */
export const PageBody = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
  <section tabIndex={0} aria-label={label} className="min-h-0 flex-1 overflow-y-auto bg-page p-3 min-[900px]:p-4">
    {children}
  </section>
);
