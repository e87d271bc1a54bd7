/** The roles that every org has, the strongest first. */
export const ROLE_NAMES = ['admin', 'agent', 'viewer'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

/** What a member is shown as who has several roles. */
export const strongestRole = (names: string[]): RoleName => ROLE_NAMES.find((name) => names.includes(name)) ?? 'viewer';
