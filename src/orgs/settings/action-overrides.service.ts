import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Issue, invalid } from '../../errors.ts';
import type { Secrets } from '../../secrets.ts';
import { originOf } from '../../text/urls.rules.ts';
import { MASK } from '../integrations/schema.ts';
import { findActionOverrides, lockOrg, setActionOverrides } from '../queries.ts';
import { changeSettings } from '../service.ts';
import type { OrgSettings, UpdateSettings } from './schema.ts';

type ActionOverrides = NonNullable<OrgSettings['http_action_overrides']>;
const GROUPS = ['query_params', 'path_params', 'body_params', 'headers'] as const;

/**
 * Changes the given settings; null turns one off. The values of http_action_overrides are stored encrypted, and masked
 * in the settings.
 */
export function updateSettings(db: Db, secrets: Secrets, orgId: string, changes: UpdateSettings): Promise<OrgSettings> {
  return inTransaction(db, async (trx) => {
    const { http_action_overrides: overrides, ...others } = changes;
    if (overrides === undefined) return changeSettings(trx, orgId, others);
    await lockOrg(trx, orgId);
    const kept =
      overrides === null ? null : resolveMasks(overrides, (await readActionOverrides(trx, secrets, orgId)) ?? {});
    await setActionOverrides(trx, orgId, kept && secrets.encrypt(JSON.stringify(kept), secretPlaceOf(orgId)));
    const masked = kept && { ...(overrides?.hosts && { hosts: overrides.hosts }), ...maskValues(kept) };
    return changeSettings(trx, orgId, { ...others, http_action_overrides: masked });
  });
}

/** Returns the overrides for all HTTP actions of the org that call one of the hosts. */
export async function readActionOverrides(
  db: Db,
  secrets: Secrets,
  orgId: string,
): Promise<(ActionOverrides & { hosts: string[] }) | undefined> {
  const { sealed, hosts } = await findActionOverrides(db, orgId);
  return sealed === null ? undefined : { ...JSON.parse(secrets.decrypt(sealed, secretPlaceOf(orgId))), hosts };
}

const secretPlaceOf = (orgId: string) => ({ orgId, table: 'orgs', column: 'http_action_overrides', row: orgId });

/**
 * Replaces masks with stored values. Throws invalid for a mask without one, and for a mask that would be sent to a host
 * for which its value was not given.
 */
function resolveMasks(given: ActionOverrides, stored: ActionOverrides): ActionOverrides {
  const issues: Issue[] = [];
  const known = new Set(stored.hosts?.map(originOf));
  const isMoved = given.hosts?.some((host) => !known.has(originOf(host))) ?? false;
  const kept = mapValues(given, (value, group, name) => {
    if (value !== MASK) return value;
    const before = Object.hasOwn(stored[group] ?? {}, name) ? stored[group]?.[name] : undefined;
    const path = `body.http_action_overrides.${group}.${name}`;
    if (before === undefined) issues.push({ path, message: 'no value is stored to keep: send it' });
    else if (isMoved) issues.push({ path, message: 'send it again: it is not kept for another scheme, host or port' });
    return before ?? '';
  });
  if (issues.length === 0) return kept;
  throw invalid(
    `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
    issues,
  );
}

const maskValues = (overrides: ActionOverrides) => mapValues(overrides, () => MASK);

function mapValues(
  overrides: ActionOverrides,
  change: (value: string, group: (typeof GROUPS)[number], name: string) => string,
): ActionOverrides {
  const groups = GROUPS.flatMap((group) => {
    const values = overrides[group];
    if (values === undefined) return [];
    return [
      [group, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, group, name)]))],
    ];
  });
  return Object.fromEntries(groups);
}
