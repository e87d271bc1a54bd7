import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { textsIn } from './search';

const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts',
  staticData: { area: 'Contacts' },
  validateSearch: (search: Record<string, unknown>): { q?: string } => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/contacts/contacts/contacts'), 'Contacts'),
});
const contact = createRoute({
  getParentRoute: () => root,
  path: '/contacts/$contactId',
  staticData: { area: 'Contacts' },
  // A filter that means nothing is refused by the API, with a sentence.
  validateSearch: (search: Record<string, unknown>): { kinds?: string; merge?: string } => textsIn(search),
  component: lazyRouteComponent(() => import('../../areas/contacts/contact/contact'), 'ContactPage'),
});

const segment = createRoute({
  getParentRoute: () => root,
  path: '/contacts/segments/$segmentId',
  staticData: { area: 'Contacts' },
  component: lazyRouteComponent(() => import('../../areas/contacts/segment/segment'), 'SegmentPage'),
});

export const contactRoutes = [contacts, contact, segment] as const;
