import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { type InboundEmailRef, RECEIVE_INBOUND_EMAIL } from '../contract.ts';

/** Returns inbound e-mails of all orgs that are not processed, behind an e-mail, in a fixed order. */
export async function listUnprocessedEmails(
  db: Db,
  after: InboundEmailRef | undefined,
  limit: number,
): Promise<InboundEmailRef[]> {
  const { rows } = await sql<InboundEmailRef>`
    select org_id as "orgId", id as "inboundEmailId" from inbound_emails
    where processed_at is null
      and ${after === undefined ? sql`true` : sql`(org_id, id) > (${after.orgId}::uuid, ${after.inboundEmailId}::uuid)`}
    order by org_id, id limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the command to process an inbound e-mail again. */
export const wakeInboundEmail = (ref: InboundEmailRef): Command =>
  signalWithStart(RECEIVE_INBOUND_EMAIL, ref, WAKE, { subjectId: ref.inboundEmailId, summary: 'E-mail, once more' });
