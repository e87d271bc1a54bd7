import { sql } from 'kysely';
import type { MergedPair } from '../../contacts/merging/parts.port.ts';
import type { Trx } from '../../db/connect.ts';

/**
 * Makes the visitors of one contact those of another one. A contact has one visitor of each kind. A second one keeps its
 * token and the sessions that it sees, and is the contact's only by `merged_contact_id`.
 */
export async function moveVisitors(trx: Trx, orgId: string, { fromId, toId }: MergedPair): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update widget_visitors as visitor set
      contact_id = case when taken.is_taken then null else ${toId}::uuid end,
      merged_contact_id = case when taken.is_taken then ${toId}::uuid end
    from (values (true), (false)) as kind (is_verified) cross join lateral (
      select exists (
        select from widget_visitors as own
        where own.org_id = ${orgId} and own.contact_id = ${toId}::uuid and own.is_verified = kind.is_verified
      ) as is_taken
    ) as taken
    where visitor.org_id = ${orgId} and visitor.contact_id = ${fromId}::uuid and visitor.is_verified = kind.is_verified
  `.execute(trx);
  return Number(numAffectedRows);
}

/** Deletes the earlier of two votes that two contacts have on one message. */
export async function deleteEarlierVotes(trx: Trx, orgId: string, { fromId, toId }: MergedPair): Promise<void> {
  await sql`
    delete from widget_votes as vote using widget_votes as later
    where vote.org_id = ${orgId} and later.org_id = vote.org_id and later.message_id = vote.message_id
      and ((vote.contact_id = ${fromId}::uuid and later.contact_id = ${toId}::uuid and later.updated_at >= vote.updated_at)
        or (vote.contact_id = ${toId}::uuid and later.contact_id = ${fromId}::uuid and later.updated_at > vote.updated_at))
  `.execute(trx);
}
