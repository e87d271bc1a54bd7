import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { FIRST_VIEW, filtersIn, type InboxFilters, VIEW_OF_LINKS } from '../api/inbox-filters';
import { inboxQuery, viewsQuery } from '../api/queries';
import { Button, Empty } from '../ui/parts';
import { Shell } from './shell';

export type InboxSearch = Partial<InboxFilters>;

/** Filters are in the address, each as plain text: a link to a list shows that list to everybody. */
const validateSearch = (search: Record<string, unknown>): InboxSearch => filtersIn(search);

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Shell,
  notFoundComponent: () => <Empty title="There is no such page">The address may be mistyped.</Empty>,
  errorComponent: () => (
    <Empty title="This page could not be shown">
      <Button className="mt-3" onClick={() => window.location.reload()}>
        Load it again
      </Button>
    </Empty>
  ),
});
const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => redirect({ to: '/inbox', throw: true }),
});
const component = lazyRouteComponent(() => import('../areas/inbox/inbox'), 'Inbox');

const shownByThePage = () => {};

/** Asks for the list while the page and the member are still read. */
function askForList({ client }: { client: QueryClient }, search: InboxSearch, view: string): void {
  client.query(viewsQuery).catch(shownByThePage);
  client.infiniteQuery(inboxQuery({ view, ...search })).catch(shownByThePage);
}

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch,
  beforeLoad: ({ context, search }) => askForList(context, search, FIRST_VIEW),
  component,
});
const session = createRoute({
  getParentRoute: () => root,
  path: '/s/$id',
  validateSearch,
  beforeLoad: ({ context, search }) => askForList(context, search, VIEW_OF_LINKS),
  component,
});

const assistants = createRoute({
  getParentRoute: () => root,
  path: '/assistants',
  validateSearch: ({ id }: Record<string, unknown>): { id?: string } => (typeof id === 'string' ? { id } : {}),
  component: lazyRouteComponent(() => import('../areas/assistants/assistants'), 'Assistants'),
});

export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([start, inbox, session, assistants]),
    basepath: '/console',
    context: { client },
    defaultPreload: false,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`;
    },
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
