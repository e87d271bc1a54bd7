import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

export interface StoredToken {
  sealed: string;
  expires_at: Date;
}

export async function findToken(db: Db, orgId: string, connection: string): Promise<StoredToken | undefined> {
  const row = await db
    .selectFrom('crm_tokens')
    .select(['sealed', 'expires_at'])
    .where('org_id', '=', orgId)
    .where('connection', '=', connection)
    .executeTakeFirst();
  return usableTokenOf(row);
}

/**
 * Locks the connection's token over all processes until the transaction ends. Returns the token if there is a usable
 * one.
 */
export async function lockToken(trx: Trx, orgId: string, connection: string): Promise<StoredToken | undefined> {
  const row = await trx
    .insertInto('crm_tokens')
    .values({ org_id: orgId, connection, sealed: null, expires_at: null })
    .onConflict((oc) =>
      oc.columns(['org_id', 'connection']).doUpdateSet((eb) => ({ sealed: eb.ref('crm_tokens.sealed') })),
    )
    .returning(['sealed', 'expires_at'])
    .executeTakeFirst();
  return usableTokenOf(row);
}

/** Stores a token for each connection, and deletes the org's tokens expired for over a day. */
export async function saveToken(
  trx: Trx,
  orgId: string,
  tokens: { connection: string; sealed: string }[],
  expiresInSeconds: number,
): Promise<void> {
  const expiresAt = sql<Date>`now() + ${expiresInSeconds} * interval '1 second'`;
  await trx
    .insertInto('crm_tokens')
    .values(tokens.map((token) => ({ org_id: orgId, ...token, expires_at: expiresAt })))
    .onConflict((oc) =>
      oc.columns(['org_id', 'connection']).doUpdateSet((eb) => ({
        sealed: eb.ref('excluded.sealed'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
    .execute();
  await trx
    .deleteFrom('crm_tokens')
    .where('org_id', '=', orgId)
    .where('expires_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute();
}

/** Clears a token, unless another has replaced it. */
export async function clearToken(db: Db, orgId: string, connection: string, sealed: string): Promise<void> {
  await db
    .updateTable('crm_tokens')
    .set({ sealed: null, expires_at: null })
    .where('org_id', '=', orgId)
    .where('connection', '=', connection)
    .where('sealed', '=', sealed)
    .execute();
}

const usableTokenOf = (row: { sealed: string | null; expires_at: Date | null } | undefined): StoredToken | undefined =>
  row?.sealed == null || row.expires_at === null ? undefined : { sealed: row.sealed, expires_at: row.expires_at };
