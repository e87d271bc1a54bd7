import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { aiRoutes } from './routes/ai';
import { automationRoutes } from './routes/automations';
import { inboxRoutes } from './routes/inbox';
import { knowledgeRoutes } from './routes/knowledge';
import { outboundRoutes } from './routes/outbound';
import { overviewRoutes } from './routes/overview';
import { root } from './routes/root';

export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      ...overviewRoutes,
      ...inboxRoutes,
      ...outboundRoutes,
      ...automationRoutes,
      ...knowledgeRoutes,
      ...aiRoutes,
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
