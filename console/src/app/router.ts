import type { QueryClient } from '@tanstack/react-query';
import { type AnyRoute, createRouter } from '@tanstack/react-router';
import { inboxRoutes } from './routes/inbox';
import { later } from './routes/later';
import { overviewRoutes } from './routes/overview';
import { root } from './routes/root';

/** What the start has no use for: the routes below a path come with the first of its pages. */
const LATER = {
  outbound: async () => (await import('./routes/outbound')).outboundRoutes,
  automations: async () => (await import('./routes/automations')).automationRoutes,
  knowledge: async () => (await import('./routes/knowledge')).knowledgeRoutes,
  ai: async () => (await import('./routes/ai')).aiRoutes,
};
type LaterRoute = Awaited<ReturnType<(typeof LATER)[keyof typeof LATER]>>[number];

/** The tree of all routes, as links know them. It has those of LATER once they were loaded. */
const treeOf = (routes: readonly AnyRoute[]) =>
  root.addChildren(routes as ((typeof overviewRoutes | typeof inboxRoutes)[number] | LaterRoute)[]);

export const createConsoleRouter = (client: QueryClient) => {
  const routes: AnyRoute[] = [...overviewRoutes, ...inboxRoutes];
  const add = (others: readonly AnyRoute[]) => {
    routes.push(...others);
    treeOf(routes);
    router.setRoutes(router.buildRouteTree());
  };
  for (const [path, load] of Object.entries(LATER)) routes.push(later(path, load, add));
  const router = createRouter({
    routeTree: treeOf(routes),
    basepath: '/console',
    context: { client },
    defaultPreload: false,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`;
    },
  });
  return router;
};

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
