import type { Schemas } from '../../../api/client';

type Entry = Schemas['AuditEntry'];

export const KINDS: Record<Entry['kind'], string> = {
  action: 'Action',
  ai_settings: 'AI settings',
  ai_tool: 'Workflow as a tool',
  api_key: 'API key',
  autopilot: 'AI on a channel',
  contact: 'Contact',
  blocked_contact: 'Blocked contact',
  blocked_domain: 'Blocked domain',
  email_domain: 'E-mail domain',
  email_inbox: 'E-mail inbox',
  export: 'Export',
  help_center: 'Help center',
  help_center_article: 'Article',
  help_center_category: 'Category of articles',
  integration: 'Integration',
  mcp_server: 'MCP server',
  member: 'Member',
  office_hours: 'Office hours',
  org: 'Organization',
  phone_agent: 'Phone agent',
  phone_number: 'Phone number',
  redaction: 'Redaction',
  saved_reply: 'Saved reply',
  sequence: 'Sequence',
  sign_in: 'Sign-in',
  sla_policy: 'SLA policy',
  suppression: 'Suppression',
  tag: 'Tag',
  tag_category: 'Category of tags',
  tag_settings: 'Tagging by the AI',
  team: 'Team',
  training: 'Training',
  training_directory: 'Folder of training',
  view: 'View of the inbox',
  webhook: 'Webhook',
  website: 'Website',
  widget: 'Widget',
  workflow: 'Workflow',
};

export const ACTIONS: Record<Entry['action'], string> = { created: 'created', changed: 'changed', deleted: 'deleted' };

export const ACTORS: Record<Entry['actor']['kind'], string> = {
  member: 'Member',
  key: 'API key',
  partner: 'Partner',
  operator: 'Operator',
  workflow: 'Workflow',
  ai: 'The AI',
  contact: 'Contact',
  system: 'Switchboard',
};

/** Returns the page of an object, if it has one. */
export function pageOf(kind: Entry['kind'], ref: string): string | undefined {
  switch (kind) {
    case 'sequence':
      return `/outbound/${ref}`;
    case 'email_domain':
      return '/outbound/domains';
    case 'workflow':
      return `/automations/${ref}`;
    case 'training':
      return `/knowledge/articles/${ref}`;
    case 'help_center_article':
      return `/knowledge/help-center/${ref}`;
    case 'website':
      return `/knowledge/websites/${ref}`;
    case 'saved_reply':
      return '/settings/saved-replies';
    case 'view':
      return '/settings/views';
    case 'suppression':
      return '/outbound/suppressions';
    case 'ai_settings':
      return '/ai/settings';
    default:
      return undefined;
  }
}
