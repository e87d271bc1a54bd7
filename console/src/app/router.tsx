import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { Inbox } from '../areas/inbox/inbox';
import { Empty } from '../ui/parts';
import { Shell } from './shell';

export interface InboxSearch {
  view?: string | undefined;
  q?: string | undefined;
}

const validateSearch = ({ view, q }: Record<string, unknown>): InboxSearch => ({
  view: typeof view === 'string' ? view : undefined,
  q: typeof q === 'string' && q !== '' ? q : undefined,
});

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty title="There is no such page">The address may be mistyped.</Empty>,
});
const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => redirect({ to: '/inbox', throw: true }),
});
const inbox = createRoute({ getParentRoute: () => root, path: '/inbox', validateSearch, component: Inbox });
const session = createRoute({ getParentRoute: () => root, path: '/s/$id', validateSearch, component: Inbox });

export const router = createRouter({
  routeTree: root.addChildren([start, inbox, session]),
  basepath: '/console',
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
