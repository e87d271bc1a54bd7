import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { searchOf } from './search';

const staticData = { area: 'Outbound' } as const;

const sequences = createRoute({
  getParentRoute: () => root,
  path: '/outbound',
  staticData,
  validateSearch: searchOf({
    choices: { status: ['pending', 'active', 'paused', 'complete', 'canceled'], order: ['oldest'] },
    texts: ['q'],
  }),
  component: lazyRouteComponent(() => import('../../areas/outbound/sequences/sequences'), 'Sequences'),
});

const sequence = createRoute({
  getParentRoute: () => root,
  path: '/outbound/$sequenceId',
  staticData,
  validateSearch: searchOf({
    choices: { status: ['active', 'complete', 'canceled', 'exited'], held: ['true'] },
    texts: ['step_id', 'exit_reason', 'why'],
  }),
  component: lazyRouteComponent(() => import('../../areas/outbound/sequence/sequence'), 'SequencePage'),
});

const STATUSES = [
  'held',
  'queued',
  'sending',
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'bounced',
  'suppressed',
  'skipped',
  'unknown',
  'canceled',
] as const;
const OUTCOMES = ['waiting', 'sent', 'delivered', 'failed', 'skipped', 'unknown'] as const;
const CHANNELS = ['email', 'sms', 'whatsapp', 'voice', 'messenger', 'instagram', 'slack'] as const;

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/outbound/deliveries',
  staticData,
  validateSearch: searchOf({
    choices: { status: STATUSES, outcome: OUTCOMES, channel: CHANNELS, order: ['oldest'] },
    texts: ['reason', 'sequence_id', 'step_id', 'contact_id', 'session_id', 'from', 'to', 'open'],
  }),
  component: lazyRouteComponent(() => import('../../areas/outbound/deliveries/deliveries'), 'Deliveries'),
});

const domains = createRoute({
  getParentRoute: () => root,
  path: '/outbound/domains',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/outbound/domains/domains'), 'Domains'),
});

const suppressions = createRoute({
  getParentRoute: () => root,
  path: '/outbound/suppressions',
  staticData,
  validateSearch: searchOf({ choices: { channel: ['email', 'sms', 'whatsapp', 'voice'] }, texts: ['q'] }),
  component: lazyRouteComponent(() => import('../../areas/outbound/suppressions/suppressions'), 'Suppressions'),
});

export const outboundRoutes = [sequences, sequence, deliveries, domains, suppressions] as const;
