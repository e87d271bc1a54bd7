import type { QueryClient } from '@tanstack/react-query';
import { type AnyRoute, createRouter } from '@tanstack/react-router';
import { homeRoutes } from './routes/home';
import { inboxRoutes } from './routes/inbox';
import { later } from './routes/later';
import { Failed, root } from './routes/root';

/** What the start has no use for: the routes of an area, by the first part of their paths. */
const LATER = {
  contacts: async () => (await import('./routes/contacts')).contactRoutes,
  outbound: async () => (await import('./routes/outbound')).outboundRoutes,
  automations: async () => (await import('./routes/automations')).automationRoutes,
  knowledge: async () => (await import('./routes/knowledge')).knowledgeRoutes,
  ai: async () => (await import('./routes/ai')).aiRoutes,
  insights: async () => (await import('./routes/insights')).insightRoutes,
  analytics: async () => (await import('./routes/analytics')).analyticsRoutes,
  settings: async () => [
    ...(await import('./routes/settings')).settingsRoutes,
    ...(await import('./routes/audit')).auditRoutes,
  ],
  operator: async () => (await import('./routes/operator')).operatorRoutes,
};
type LaterRoute = Awaited<ReturnType<(typeof LATER)[keyof typeof LATER]>>[number];

/** The tree of routes. Links know those of LATER before they are loaded. */
const treeOf = (routes: readonly AnyRoute[]) =>
  root.addChildren(routes as ((typeof homeRoutes | typeof inboxRoutes)[number] | LaterRoute)[]);

export const createConsoleRouter = (client: QueryClient) => {
  const routes: AnyRoute[] = [...homeRoutes, ...inboxRoutes];
  const add = (others: readonly AnyRoute[]) => {
    routes.push(...others);
    treeOf(routes);
    router.setRoutes(router.buildRouteTree());
  };
  routes.push(later(LATER, add));
  const router = createRouter({
    routeTree: treeOf(routes),
    basepath: '/console',
    context: { client },
    defaultPreload: false,
    defaultErrorComponent: Failed,
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
