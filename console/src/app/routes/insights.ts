import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { InsightSearch } from '../../api/insights';
import { root } from './root';
import { textsIn } from './search';

const staticData = { area: 'Insights' } as const;

const insights = createRoute({
  getParentRoute: () => root,
  path: '/insights',
  staticData,
  validateSearch: (search: Record<string, unknown>): InsightSearch => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/insights/insights/insights'), 'Insights'),
});
const proposals = createRoute({
  getParentRoute: () => root,
  path: '/insights/proposals',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/insights/proposals/proposals'), 'Proposals'),
});
const changes = createRoute({
  getParentRoute: () => root,
  path: '/insights/changes',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/insights/operations/operations'), 'Operations'),
});
const insight = createRoute({
  getParentRoute: () => root,
  path: '/insights/$insightId',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/insights/insight/insight'), 'InsightPage'),
});

export const insightRoutes = [insights, proposals, changes, insight] as const;
