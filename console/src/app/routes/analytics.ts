import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { AnalyticsSearch } from '../../api/analytics';
import { root } from './root';
import { textsIn } from './search';

const analytics = createRoute({
  getParentRoute: () => root,
  path: '/analytics',
  staticData: { area: 'Analytics' } as const,
  validateSearch: (search: Record<string, unknown>): AnalyticsSearch => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/analytics/analytics'), 'Analytics'),
});

export const analyticsRoutes = [analytics] as const;
