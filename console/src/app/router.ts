import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { aiRoutes } from './routes/ai';
import { auditRoutes } from './routes/audit';
import { automationRoutes } from './routes/automations';
import { inboxRoutes } from './routes/inbox';
import { knowledgeRoutes } from './routes/knowledge';
import { operatorRoutes } from './routes/operator';
import { outboundRoutes } from './routes/outbound';
import { root } from './routes/root';

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => redirect({ to: '/inbox', throw: true }),
});

export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      start,
      ...inboxRoutes,
      ...outboundRoutes,
      ...automationRoutes,
      ...knowledgeRoutes,
      ...aiRoutes,
      ...auditRoutes,
      ...operatorRoutes,
    ]),
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
