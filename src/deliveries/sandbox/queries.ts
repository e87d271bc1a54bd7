import type { Db } from '../../db/connect.ts';
import type { Channel } from '../contract.ts';

const MAX_LISTED = 1_000;

/** Stores a send of the sandbox. A repeated call changes nothing. */
export async function insertSandboxSend(
  db: Db,
  orgId: string,
  { id, channel, to, payload }: { id: string; channel: Channel; to: string; payload: unknown },
): Promise<void> {
  await db
    .insertInto('sandbox_outbox')
    .values({ org_id: orgId, id, channel, to, payload: JSON.stringify(payload) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists the latest sends of the org's sandbox, newest first. */
export function listSandboxSends(db: Db, orgId: string) {
  return db
    .selectFrom('sandbox_outbox')
    .select(['id', 'channel', 'to', 'payload', 'created_at'])
    .where('org_id', '=', orgId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute();
}
