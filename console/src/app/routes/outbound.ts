import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { searchOf } from './search';

const staticData = { area: 'Outbound' } as const;

const sequences = createRoute({
  getParentRoute: () => root,
  path: '/outbound',
  staticData,
  validateSearch: searchOf({
    choices: {
      status: ['pending', 'active', 'paused', 'complete', 'canceled'],
      order: ['newest', 'oldest', 'name', 'updated'],
    },
    texts: ['q'],
  }),
  component: lazyRouteComponent(() => import('../../areas/outbound/sequences/sequences'), 'Sequences'),
});

export const outboundRoutes = [sequences] as const;
