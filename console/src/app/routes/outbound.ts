import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { DeliveryFilters, EnrollmentFilters, SequenceFilters, SuppressionFilters } from '../../api/outbound';
import { root } from './root';
import { textsIn } from './search';

/** A filter that means nothing is refused by the API, with a sentence. */
type SequenceSearch = Omit<EnrollmentFilters, 'contact_id'> & { why?: string };
type SuppressionSearch = Pick<SuppressionFilters, 'channel'> & { q?: string };
type DeliverySearch = DeliveryFilters & { open?: string };

const staticData = { area: 'Outbound' } as const;

const sequences = createRoute({
  getParentRoute: () => root,
  path: '/outbound',
  staticData,
  validateSearch: (search: Record<string, unknown>): SequenceFilters => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/outbound/sequences/sequences'), 'Sequences'),
});

const sequence = createRoute({
  getParentRoute: () => root,
  path: '/outbound/$sequenceId',
  staticData,
  validateSearch: (search: Record<string, unknown>): SequenceSearch => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/outbound/sequence/sequence'), 'SequencePage'),
});

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/outbound/deliveries',
  staticData,
  validateSearch: (search: Record<string, unknown>): DeliverySearch => textsIn(search),
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
  validateSearch: (search: Record<string, unknown>): SuppressionSearch => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/outbound/suppressions/suppressions'), 'Suppressions'),
});

export const outboundRoutes = [sequences, sequence, deliveries, domains, suppressions] as const;
