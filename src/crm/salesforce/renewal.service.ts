import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { listExpiringConversations } from './conversations.queries.ts';
import { wakeMiaw } from './sync.service.ts';

/** The client renews a token that expires within two minutes. */
const SOON_MS = 110_000;
/** Any further conversation is renewed with the next call of it. */
const MAX_CONVERSATIONS = 1_000;

/**
 * Wakes the conversations of open sessions whose tokens are about to expire: their next call renews the token. A guest
 * whose token has ended can read nothing more. Returns their number. Call this every minute.
 */
export function renewExpiringTokens(db: Db): Promise<number> {
  return inTransaction(db, async (trx) => {
    const expiring = await listExpiringConversations(trx, { withinMs: SOON_MS, limit: MAX_CONVERSATIONS });
    for (const { org_id: orgId, session_id } of expiring) await enqueue(trx, orgId, wakeMiaw(orgId, session_id));
    return expiring.length;
  });
}
