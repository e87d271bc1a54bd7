import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { textsIn } from './search';

/** A filter that means nothing is refused by the API, with a sentence. */
type Search = Partial<Record<'state' | 'reason' | 'cited_item_id' | 'from' | 'to' | 'open' | 'group' | 'days', string>>;

const staticData = { area: 'AI' } as const;
const validateSearch = (search: Record<string, unknown>): Search => textsIn(search);

const turns = createRoute({
  getParentRoute: () => root,
  path: '/ai',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/ai/turns/turns'), 'Turns'),
});
const preview = createRoute({
  getParentRoute: () => root,
  path: '/ai/preview',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/ai/preview/preview'), 'Preview'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/ai/settings',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/ai/settings/settings'), 'Settings'),
});
const calls = createRoute({
  getParentRoute: () => root,
  path: '/ai/calls',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/ai/calls/calls'), 'Calls'),
});
const evals = createRoute({
  getParentRoute: () => root,
  path: '/ai/evals',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/ai/evals/evals'), 'Evals'),
});
const evalRun = createRoute({
  getParentRoute: () => root,
  path: '/ai/evals/$runId',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/ai/evals/eval-run'), 'EvalRunPage'),
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/ai/usage',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/ai/usage/usage'), 'Usage'),
});

export const aiRoutes = [turns, preview, settings, calls, evals, evalRun, usage] as const;
