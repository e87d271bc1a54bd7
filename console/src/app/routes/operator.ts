import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';

const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(() => import('../../areas/operator/operator'), 'Operator'),
});

export const operatorRoutes = [operator] as const;
