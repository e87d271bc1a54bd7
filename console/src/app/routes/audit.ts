import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { textsIn } from './search';

/** A filter that means nothing is refused by the API, with a sentence. */
type Search = Partial<Record<'actor' | 'kind' | 'ref' | 'from' | 'to', string>>;

const audit = createRoute({
  getParentRoute: () => root,
  path: '/settings/audit',
  staticData: { area: 'Settings' },
  validateSearch: (search: Record<string, unknown>): Search => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/settings/audit/audit'), 'Audit'),
});

export const auditRoutes = [audit] as const;
