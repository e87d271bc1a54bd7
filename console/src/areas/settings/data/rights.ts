import type { Schemas } from '../../../api/client';
import { EXPORTED, MOVED } from './words';

type Scope = Schemas['KeyScope'];

/** What a member needs, all of it, to move records in. */
const MOVING: Record<Schemas['ImportResource'], Scope[]> = {
  contacts: ['contacts:write'],
  conversations: ['contacts:write', 'chat-sessions:write', 'tags:write'],
  help_center: ['help-center:write'],
};

/** What a member needs, all of it, to export records. */
const EXPORTING: Record<Schemas['ExportResource'], Scope[]> = {
  contacts: ['contacts:read'],
  conversations: ['chat-sessions:read'],
  deliveries: ['sequences:read'],
  knowledge: ['training:read', 'help-center:read', 'crawl:read'],
};

const allowed = <Name extends string>(needed: Record<Name, Scope[]>, names: Record<Name, string>, scopes: string[]) =>
  (Object.keys(names) as Name[])
    .filter((name) => needed[name].every((scope) => scopes.includes(scope)))
    .map((name) => [name, names[name]] as const);

/** Returns what a member may move in from another desk, with its name. */
export const movedFor = (scopes: string[]) => allowed(MOVING, MOVED, scopes);

/** Returns what a member may export, with its name. */
export const exportedFor = (scopes: string[]) => allowed(EXPORTING, EXPORTED, scopes);
