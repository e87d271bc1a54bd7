import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { newId } from '../../../src/ids.ts';

export interface OneSend {
  orgId: string;
  sequenceId: string;
  stepId: string;
  enrollmentId: string;
  contactId: string;
  to: string;
}

/** Writes one delivery before its send. The product does so for many at once. */
export async function insertDelivery(db: Db, send: OneSend): Promise<string> {
  const id = newId();
  await sql`
    insert into deliveries (org_id, id, channel, sequence_id, enrollment_id, step_id, contact_id, "to", status, attempts)
    values (${send.orgId}::uuid, ${id}::uuid, 'email', ${send.sequenceId}::uuid, ${send.enrollmentId}::uuid, ${send.stepId}::uuid,
      ${send.contactId}::uuid, ${send.to}, 'sending', 1)
    on conflict on constraint deliveries_once_a_step do nothing
  `.execute(db);
  return id;
}

/** Records an accepted delivery and completes its enrollment, in one round trip. */
export async function settleDelivery(db: Db, send: OneSend, deliveryId: string, providerId: string): Promise<void> {
  await sql`
    with marked as (
      update deliveries set status = 'accepted', provider = 'bench', provider_id = ${providerId}, sent_at = now(), updated_at = now()
      where org_id = ${send.orgId} and id = ${deliveryId}
    )
    update enrollments set last_step_id = ${send.stepId}::uuid, anchor_at = now(), status = 'complete', ended_at = now()
    where org_id = ${send.orgId} and id = ${send.enrollmentId}
  `.execute(db);
}

/** Enrolls all contacts of the org and returns the sends to them. */
export async function enrollAll(db: Db, orgId: string, sequenceId: string): Promise<OneSend[]> {
  const { rows } = await sql<OneSend>`
    with enrolled as (
      insert into enrollments (org_id, id, sequence_id, contact_id)
      select org_id, uuidv7(), ${sequenceId}::uuid, id from contacts where org_id = ${orgId}
      returning id, contact_id
    )
    select ${orgId}::text as "orgId", ${sequenceId}::text as "sequenceId", step.id as "stepId", enrolled.id as "enrollmentId",
      contact.id as "contactId", contact.email as "to"
    from enrolled join contacts as contact on contact.org_id = ${orgId} and contact.id = enrolled.contact_id
    cross join (select id from sequence_steps where org_id = ${orgId} and sequence_id = ${sequenceId}) as step
  `.execute(db);
  return rows;
}
