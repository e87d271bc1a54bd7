import type { QueryClient } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { FIRST_VIEW, filtersIn, type InboxFilters, VIEW_OF_LINKS } from '../../api/inbox-filters';
import { inboxQuery, viewsQuery } from '../../api/queries';
import { root } from './root';

type InboxSearch = Partial<InboxFilters>;

/** Filters are in the address, each as plain text: a link to a list shows that list to everybody. */
const validateSearch = (search: Record<string, unknown>): InboxSearch => filtersIn(search);
const component = lazyRouteComponent(() => import('../../areas/inbox/inbox'), 'Inbox');
const staticData = { area: 'Inbox' } as const;

const shownByThePage = () => {};

/** Asks for the list while the page and the member are still read. */
function askForList({ client }: { client: QueryClient }, search: InboxSearch, view: string): void {
  client.query(viewsQuery).catch(shownByThePage);
  client.infiniteQuery(inboxQuery({ view, ...search })).catch(shownByThePage);
}

const list = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  staticData,
  validateSearch,
  beforeLoad: ({ context, search }) => askForList(context, search, FIRST_VIEW),
  component,
});
const session = createRoute({
  getParentRoute: () => root,
  path: '/s/$id',
  staticData,
  validateSearch,
  beforeLoad: ({ context, search }) => askForList(context, search, VIEW_OF_LINKS),
  component,
});
const assistants = createRoute({
  getParentRoute: () => root,
  path: '/assistants',
  staticData,
  validateSearch: ({ id }: Record<string, unknown>): { id?: string } => (typeof id === 'string' ? { id } : {}),
  component: lazyRouteComponent(() => import('../../areas/assistants/assistants'), 'Assistants'),
});

export const inboxRoutes = [list, session, assistants] as const;
