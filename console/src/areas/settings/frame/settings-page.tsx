import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { meQuery } from '../../../api/queries';
import { Page, PageBody } from '../../../ui/page';
import { Failure, Skeleton } from '../../../ui/parts';
import { groupsFor } from './pages';

interface SettingsPageProps {
  title: string;
  /** What is between the settings and this page. */
  above?: { name: string; to: '/settings/integrations' | '/settings/webhooks' };
  actions?: ReactNode;
  /** What the page reads: it is waited for, and read again if it fails. */
  query?: { error: Error | null; isPending: boolean; refetch: () => Promise<unknown> };
  /** Whether the page scrolls by itself, as lists do. */
  isList?: boolean;
  children: ReactNode;
}

/** A page of the settings beside the list of all of them, which a narrow window leaves out for a way back. */
export const SettingsPage = ({ title, above, actions, query, isList = false, children }: SettingsPageProps) => (
  <Page title={<Path above={above} title={title} />} actions={actions}>
    <div className="flex min-h-0 flex-1">
      <SettingsNav />
      <div className="flex min-w-0 flex-1 flex-col">
        {isList ? (
          children
        ) : (
          <PageBody label={title}>
            <div className="mx-auto grid max-w-240 grid-cols-[minmax(0,1fr)] gap-3">
              {query?.error != null && <Failure error={query.error} onRetry={() => void query.refetch()} />}
              {query?.isPending === true && <Skeleton rows={6} />}
              {children}
            </div>
          </PageBody>
        )}
      </div>
    </div>
  </Page>
);

const ABOVE = 'shrink-0 text-quiet hover:text-text';

const Path = ({ above, title }: Pick<SettingsPageProps, 'above' | 'title'>) => (
  <span className="flex items-center gap-2">
    <Link to="/settings" className={`${ABOVE} ${above === undefined ? '' : 'max-[899px]:hidden'}`}>
      <span className="max-[899px]:hidden">Settings /</span>
      <Back to="Settings" />
    </Link>
    {above !== undefined && (
      <Link to={above.to} className={ABOVE}>
        <span className="max-[899px]:hidden">{above.name} /</span>
        <Back to={above.name} />
      </Link>
    )}
    <span className="truncate">{title}</span>
  </span>
);

/** The way back where there is no room for words. */
const Back = ({ to }: { to: string }) => <ArrowLeft size={18} aria-label={to} className="min-[900px]:hidden" />;

const ITEM =
  'block rounded-md px-2 py-1 text-quiet hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-text';

const SettingsNav = () => {
  const scopes = useQuery(meQuery).data?.scopes ?? [];
  return (
    <nav
      aria-label="Settings"
      className="hidden w-48 shrink-0 overflow-y-auto border-r border-line bg-surface p-3 min-[900px]:block"
    >
      {groupsFor(scopes).map(({ name, pages }) => (
        <div key={name} className="mb-3">
          <p className="px-2 pb-1 text-xs text-quiet">{name}</p>
          <ul>
            {pages.map((page) => (
              <li key={page.to}>
                <Link to={page.to} className={ITEM}>
                  {page.name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
};
