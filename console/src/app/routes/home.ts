import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  staticData: { area: 'Home' },
  component: lazyRouteComponent(() => import('../../areas/home/home'), 'Home'),
});

export const homeRoutes = [home] as const;
