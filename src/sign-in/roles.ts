import { ROLE_NAMES, type RoleName } from '../schemas/roles.ts';
import { KeyScope } from '../schemas/scopes.ts';

/** Settings of the org with its connections, keys and audit are for admins only. */
const FOR_ADMINS: KeyScope[] = ['org:read', 'webhooks:read', 'audit:read'];
const READING = KeyScope.options.filter((scope) => scope.endsWith(':read') && !FOR_ADMINS.includes(scope));
/** What agents do in conversations and with contacts. */
const ANSWERING: KeyScope[] = [
  'blocklist:write',
  'chat-sessions:write',
  'confirmations:write',
  'contacts:write',
  'media:write',
];

const SCOPES_OF: Record<RoleName, ReadonlySet<string> | null> = {
  admin: null,
  agent: new Set([...READING, ...ANSWERING]),
  viewer: new Set(READING),
};

/** Returns the strongest of a member's roles. A member without one only reads. */
export const strongestOf = (roles: string[]): RoleName => ROLE_NAMES.find((name) => roles.includes(name)) ?? 'viewer';

/** Returns what members of a role may do. Null is full access. */
export const scopesOf = (role: RoleName): ReadonlySet<string> | null => SCOPES_OF[role];
