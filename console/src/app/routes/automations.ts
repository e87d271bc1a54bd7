import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { searchOf } from './search';

const staticData = { area: 'Automations' } as const;

const runs = createRoute({
  getParentRoute: () => root,
  path: '/automations/runs',
  staticData,
  validateSearch: searchOf({ choices: {}, texts: [] }),
  component: lazyRouteComponent(() => import('../../areas/automations/runs/runs'), 'Runs'),
});

export const automationRoutes = [runs] as const;
