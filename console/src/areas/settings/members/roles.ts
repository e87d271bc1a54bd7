import type { Schemas } from '../../../api/client';

/** The roles that every organization has. */
export const ROLES: [Schemas['Member']['role'], string][] = [
  ['admin', 'Admin'],
  ['agent', 'Agent'],
  ['viewer', 'Viewer'],
];
