import type { Db } from '../../db/connect.ts';
import { listHandoffTargets } from '../integrations/service.ts';
import { readSettings } from '../service.ts';
import type { OrgSettings } from './schema.ts';
import { type HandoffTarget, NO_TARGET, NOT_CONNECTED, warningsOf } from './warnings.rules.ts';

/** Returns what is wrong with the org's settings beside its connected systems, each with what to do. */
export const readWarnings = async (db: Db, orgId: string, settings: OrgSettings): Promise<string[]> =>
  warningsOf(settings, await listHandoffTargets(db, orgId));

/**
 * Returns the system to which the org hands sessions over, with what that waits for while it is not connected. Without
 * a target, returns why a connected system gets none.
 */
export async function findHandoffTarget(
  db: Db,
  orgId: string,
): Promise<{ target: HandoffTarget | undefined; waits_for?: string; note?: string }> {
  const { handoff_target: target } = await readSettings(db, orgId);
  if (target === 'none') return { target: undefined };
  const connected = await listHandoffTargets(db, orgId);
  if (target === null) return { target: undefined, ...(connected.size > 0 && { note: NO_TARGET }) };
  return { target, ...(!connected.has(target) && { waits_for: NOT_CONNECTED[target] }) };
}
