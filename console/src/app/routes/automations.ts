import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { searchOf } from './search-of';

const staticData = { area: 'Automations' } as const;

const RUN_STATUSES = ['idle', 'in_progress', 'completed', 'failed', 'canceled'] as const;
const WAITING_FOR = ['timer', 'event', 'retry', 'person'] as const;

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/automations',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/automations/workflows/workflows'), 'Workflows'),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: '/automations/runs',
  staticData,
  validateSearch: searchOf({
    choices: { status: RUN_STATUSES, waiting_for: WAITING_FOR },
    texts: ['workflow_id', 'session_id', 'contact_id', 'from', 'to', 'q'],
  }),
  component: lazyRouteComponent(() => import('../../areas/automations/runs/runs'), 'Runs'),
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/automations/runs/$runId',
  staticData,
  validateSearch: searchOf({ choices: {}, texts: ['step'] }),
  component: lazyRouteComponent(() => import('../../areas/automations/run/run'), 'RunPage'),
});
const workflow = createRoute({
  getParentRoute: () => root,
  path: '/automations/$id',
  staticData,
  validateSearch: searchOf({
    choices: { tab: ['graph', 'edit', 'versions', 'json', 'simulation'] },
    texts: ['version', 'run'],
  }),
  component: lazyRouteComponent(() => import('../../areas/automations/workflow/workflow'), 'WorkflowPage'),
});

export const automationRoutes = [workflows, runs, run, workflow] as const;
