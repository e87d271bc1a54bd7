import { z } from 'zod';
import type { OrgPrincipal } from '../keys/verifier.ts';

const RESOURCES = [
  'actions',
  'autopilot',
  'blocklist',
  'chat-sessions',
  'contacts',
  'crawl',
  'csat',
  'email',
  'help-center',
  'insights',
  'media',
  'office-hours',
  'org',
  'phone',
  'redaction',
  'sequences',
  'sla',
  'tags',
  'teams',
  'training',
  'webhooks',
  'whatsapp',
  'widget',
  'workflows',
] as const;

export type KeyScope =
  | `${(typeof RESOURCES)[number]}:${'read' | 'write'}`
  | 'audit:read'
  | 'confirmations:write'
  | 'crm-miaw:write';

const KEY_SCOPES: KeyScope[] = [
  ...RESOURCES.flatMap((name): KeyScope[] => [`${name}:read`, `${name}:write`]),
  'audit:read',
  'confirmations:write',
  'crm-miaw:write',
];

/** A permission of an org key. */
export const KeyScope = z.enum(KEY_SCOPES).meta({ id: 'KeyScope' });

/** The callers allowed on a route: keys with this scope, any org key, any partner key, the operator's, or anybody. */
export type Scope = KeyScope | 'any' | 'partner' | 'operator' | 'public';

/** Returns whether the caller's key has a scope. */
export const hasScope = ({ scopes }: Pick<OrgPrincipal, 'scopes'>, scope: Scope): boolean =>
  scopes === null || scopes.has(scope);
