/** The built-in roles of every org, strongest first. */
export const ROLE_NAMES = ['admin', 'agent', 'viewer'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];
