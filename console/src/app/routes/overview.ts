import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { searchOf } from './search';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  staticData: { area: 'Home' },
  component: lazyRouteComponent(() => import('../../areas/home/home'), 'Home'),
});
const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts',
  staticData: { area: 'Contacts' },
  validateSearch: searchOf({ choices: {}, texts: ['q'] }),
  component: lazyRouteComponent(() => import('../../areas/contacts/contacts/contacts'), 'Contacts'),
});
const contact = createRoute({
  getParentRoute: () => root,
  path: '/contacts/$contactId',
  staticData: { area: 'Contacts' },
  validateSearch: searchOf({
    choices: { kinds: ['session', 'delivery', 'enrollment', 'run', 'csat', 'suppression'] },
    texts: [],
  }),
  component: lazyRouteComponent(() => import('../../areas/contacts/contact/contact'), 'ContactPage'),
});

export const overviewRoutes = [home, contacts, contact] as const;
