import type { Schemas } from '../../../api/client';

export type Scope = Schemas['KeyScope'];

interface Subject {
  name: string;
  read?: Scope;
  write?: Scope;
}

const both = <Name extends string>(name: string, of: Name) => ({
  name,
  read: `${of}:read` as const,
  write: `${of}:write` as const,
});

const LISTED = [
  both('Conversations', 'chat-sessions'),
  both('Contacts', 'contacts'),
  both('Blocked contacts and domains', 'blocklist'),
  both('Sequences and deliveries', 'sequences'),
  both('Workflows and runs', 'workflows'),
  both('Knowledge', 'training'),
  both('Websites that are crawled', 'crawl'),
  both('Help center', 'help-center'),
  both('The AI', 'autopilot'),
  { name: 'Confirmations of the AI', write: 'confirmations:write' },
  both('Actions', 'actions'),
  both('Insights and reports', 'insights'),
  both('CSAT', 'csat'),
  both('SLA', 'sla'),
  both('Tags', 'tags'),
  both('Teams and members', 'teams'),
  both('Office hours', 'office-hours'),
  both('E-mail', 'email'),
  both('WhatsApp', 'whatsapp'),
  both('Telephone', 'phone'),
  both('Chat widget', 'widget'),
  both('Files', 'media'),
  both('Redaction', 'redaction'),
  { name: 'The audit', read: 'audit:read' },
  both('Webhooks', 'webhooks'),
  both('Organization, keys and integrations', 'org'),
  { name: 'Events of Salesforce', write: 'crm-miaw:write' },
] as const satisfies Subject[];

type Named<Kind extends 'read' | 'write'> = Extract<(typeof LISTED)[number], Record<Kind, Scope>>[Kind];
type Listed = Named<'read'> | Named<'write'>;

/** The scopes of a key. The type refuses a list without a scope of the API. */
export const SUBJECTS: Exclude<Scope, Listed> extends never ? readonly Subject[] : never = LISTED;
