import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

/**
 * Ends begun deliveries that cannot be sent, each with its reason. No attempt is counted, as nothing was tried. One that an
 * earlier attempt may have sent is `unknown`.
 */
export async function failUnsendable(
  trx: Trx,
  orgId: string,
  unsendable: { id: string; reason: string }[],
): Promise<void> {
  if (unsendable.length === 0) return;
  await sql`
    update deliveries as delivery set
      status = case when delivery.may_have_gone then 'unknown' else 'failed' end, reason = unsendable.reason, lease = null,
      attempts = delivery.attempts - 1, updated_at = now()
    from unnest(${unsendable.map(({ id }) => id)}::uuid[], ${unsendable.map(({ reason }) => reason)}::text[]) as unsendable (id, reason)
    where delivery.org_id = ${orgId} and delivery.id = unsendable.id and delivery.status = 'sending'
  `.execute(trx);
}
