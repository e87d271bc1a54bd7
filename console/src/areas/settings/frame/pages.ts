import type { Schemas } from '../../../api/client';

interface SettingsPageEntry {
  name: string;
  to: string;
  /** Members whose role lacks it do not see the page. */
  scope: Schemas['KeyScope'];
  says: string;
}

const page = <const To extends string>(
  name: string,
  to: To,
  scope: Schemas['KeyScope'],
  says: string,
): SettingsPageEntry & { to: To } => ({ name, to, scope, says });

/** The pages of the settings, by what they are for. */
const GROUPS = [
  {
    name: 'You',
    pages: [
      page('Your profile', '/settings/profile', 'chat-sessions:read', 'Name, signature, notifications, sign-ins'),
    ],
  },
  {
    name: 'People',
    pages: [
      page('Members', '/settings/members', 'teams:read', 'Who works here, by which role'),
      page('Teams', '/settings/teams', 'teams:read', 'Who gets which conversations'),
      page('Office hours', '/settings/office-hours', 'office-hours:read', 'When people answer'),
    ],
  },
  {
    name: 'Conversations',
    pages: [
      page('SLA policies', '/settings/sla', 'sla:read', 'How soon to answer and to resolve'),
      page('Tags', '/settings/tags', 'tags:read', 'Names for what conversations are about'),
      page('Saved replies', '/settings/saved-replies', 'chat-sessions:read', 'Texts to use again'),
      page('Views', '/settings/views', 'chat-sessions:read', 'Lists of the inbox'),
      page(
        'Blocked senders',
        '/settings/blocked',
        'blocklist:read',
        'Addresses and domains that get nothing and start nothing',
      ),
      page('Surveys', '/settings/surveys', 'org:read', 'What customers think of a resolved conversation'),
    ],
  },
  {
    name: 'Channels',
    pages: [
      page('Chat widget', '/settings/widget', 'widget:read', 'The chat on your website'),
      page('Mailboxes', '/settings/mailboxes', 'email:read', 'Addresses that receive mail'),
      page('Integrations', '/settings/integrations', 'org:read', 'Mail server, SMS, WhatsApp, CRM, model'),
    ],
  },
  {
    name: 'For programs',
    pages: [
      page('API keys', '/settings/api-keys', 'org:read', 'What other programs may do'),
      page('Webhooks', '/settings/webhooks', 'webhooks:read', 'Events that other programs get'),
      page('Actions', '/settings/actions', 'actions:read', 'What the AI can call, with MCP servers'),
    ],
  },
  {
    name: 'Organization',
    pages: [
      page('Organization', '/settings/organization', 'org:read', 'Name, language, time zone, rules'),
      page('Brand', '/settings/brand', 'org:read', 'How the help center, forms and surveys look'),
      page('Import and export', '/settings/data', 'contacts:read', 'Contacts from CSV, moving in, files of records'),
      page('Audit', '/settings/audit', 'audit:read', 'Who changed what is set up, and who signed in'),
    ],
  },
] as const;

/** Returns the groups with the pages that a member may see. */
export const groupsFor = (scopes: string[]) =>
  GROUPS.map(({ name, pages }) => ({ name, pages: pages.filter(({ scope }) => scopes.includes(scope)) })).filter(
    ({ pages }) => pages.length > 0,
  );
