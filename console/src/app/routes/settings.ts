import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { textsIn } from './search';

/** A filter that means nothing is refused by the API, with a sentence. */
type Search = Partial<Record<'status' | 'event_type' | 'open' | 'q', string>>;

const staticData = { area: 'Settings' } as const;
const validateSearch = (search: Record<string, unknown>): Search => textsIn(search);
const getParentRoute = () => root;

const overview = createRoute({
  getParentRoute,
  path: '/settings',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/frame/overview'), 'Overview'),
});
const profile = createRoute({
  getParentRoute,
  path: '/settings/profile',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/profile/profile'), 'Profile'),
});
const organization = createRoute({
  getParentRoute,
  path: '/settings/organization',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/org/organization'), 'OrganizationPage'),
});
const brand = createRoute({
  getParentRoute,
  path: '/settings/brand',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/brand/brand'), 'BrandPage'),
});
const surveys = createRoute({
  getParentRoute,
  path: '/settings/surveys',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/org/surveys'), 'Surveys'),
});
const members = createRoute({
  getParentRoute,
  path: '/settings/members',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/members/members'), 'Members'),
});
const teams = createRoute({
  getParentRoute,
  path: '/settings/teams',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/teams/teams'), 'Teams'),
});
const hours = createRoute({
  getParentRoute,
  path: '/settings/office-hours',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/hours/office-hours'), 'OfficeHoursPage'),
});
const sla = createRoute({
  getParentRoute,
  path: '/settings/sla',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/sla/sla'), 'SlaPolicies'),
});
const tags = createRoute({
  getParentRoute,
  path: '/settings/tags',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/tags/tags'), 'Tags'),
});
const replies = createRoute({
  getParentRoute,
  path: '/settings/saved-replies',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/settings/replies/saved-replies'), 'SavedReplies'),
});
const blocked = createRoute({
  getParentRoute,
  path: '/settings/blocked',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/blocked/blocked'), 'Blocked'),
});
const views = createRoute({
  getParentRoute,
  path: '/settings/views',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/views/views'), 'Views'),
});
const keys = createRoute({
  getParentRoute,
  path: '/settings/api-keys',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/keys/api-keys'), 'ApiKeys'),
});
const integrations = createRoute({
  getParentRoute,
  path: '/settings/integrations',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/integrations/integrations'), 'Integrations'),
});
const integration = createRoute({
  getParentRoute,
  path: '/settings/integrations/$kind',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/integrations/integration'), 'IntegrationPage'),
});
const mailboxes = createRoute({
  getParentRoute,
  path: '/settings/mailboxes',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/mailboxes/mailboxes'), 'Mailboxes'),
});
const webhooks = createRoute({
  getParentRoute,
  path: '/settings/webhooks',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/webhooks/webhooks'), 'Webhooks'),
});
const webhook = createRoute({
  getParentRoute,
  path: '/settings/webhooks/$webhookId',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/settings/webhooks/webhook'), 'WebhookPage'),
});
const widget = createRoute({
  getParentRoute,
  path: '/settings/widget',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/widget/widget'), 'WidgetPage'),
});
const mcp = createRoute({
  getParentRoute,
  path: '/settings/actions',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/mcp/actions'), 'Actions'),
});
const data = createRoute({
  getParentRoute,
  path: '/settings/data',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/settings/data/data'), 'DataPage'),
});

export const settingsRoutes = [
  overview,
  profile,
  organization,
  brand,
  surveys,
  members,
  teams,
  hours,
  sla,
  tags,
  replies,
  blocked,
  views,
  keys,
  integrations,
  integration,
  mailboxes,
  webhooks,
  webhook,
  widget,
  mcp,
  data,
] as const;
