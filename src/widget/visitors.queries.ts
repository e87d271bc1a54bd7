import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';

const ABANDONED_AFTER_DAYS = 30;
const VISITORS_PER_DELETION = 500;

/** Inserts the visitor of a contact, or updates the existing one, and returns its id. */
export async function upsertVisitor(
  trx: Trx,
  visitor: {
    org_id: string;
    id: string;
    contact_id: string;
    is_verified: boolean;
    avatar_url?: string | null;
    language?: string | null;
    chat_context?: string | null;
  },
): Promise<string> {
  const { avatar_url, language, chat_context } = visitor;
  const { id } = await trx
    .insertInto('widget_visitors')
    .values(visitor)
    .onConflict((oc) =>
      oc.columns(['org_id', 'contact_id', 'is_verified']).doUpdateSet((eb) => ({
        contact_id: eb.ref('excluded.contact_id'), // returns the row even if nothing else changes
        ...(avatar_url === undefined ? {} : { avatar_url }),
        ...(language === undefined ? {} : { language }),
        ...(chat_context === undefined ? {} : { chat_context }),
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns the visitor with details of the contact. The id comes from a verified token, as does the org. */
export function findVisitor(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('widget_visitors as visitor')
    .innerJoin('contacts as contact', (join) =>
      join
        .onRef('contact.org_id', '=', 'visitor.org_id')
        .on((eb) => eb('contact.id', '=', eb.fn.coalesce('visitor.contact_id', 'visitor.merged_contact_id'))),
    )
    .select(['visitor.org_id as orgId', 'visitor.id', 'contact.id as contactId', 'visitor.language'])
    .select(['visitor.is_verified as isVerified', 'visitor.avatar_url as avatarUrl', 'contact.name'])
    .where('visitor.org_id', '=', orgId)
    .where('visitor.id', '=', id)
    .executeTakeFirst();
}

/** Returns the context of a contact's visit, of the verified visitor first. */
export async function findChatContext(db: Db, orgId: string, contactId: string): Promise<string | null> {
  const found = await db
    .selectFrom('widget_visitors')
    .select('chat_context')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('chat_context', 'is not', null)
    .orderBy('is_verified', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.chat_context ?? null;
}

export type Visitor = NonNullable<Awaited<ReturnType<typeof findVisitor>>>;

/**
 * Deletes some contacts of visitors who came long ago and left nothing: no address, session, message or enrollment, and
 * nothing of a contact that was merged. The visitors go with them.
 */
export async function deleteAbandonedVisitorRows(trx: Trx): Promise<{ org_id: string; id: string }[]> {
  const { rows } = await sql<{ org_id: string; id: string }>`
    with abandoned as (
      select contact.org_id, contact.id from widget_visitors as visitor
      join contacts as contact on contact.org_id = visitor.org_id and contact.id = visitor.contact_id
      where not visitor.is_verified and visitor.created_at < now() - ${ABANDONED_AFTER_DAYS} * interval '1 day'
        and contact.email is null and contact.phone_number is null and contact.external_id is null
        and not exists (
          select from widget_sessions as session where session.org_id = visitor.org_id and session.visitor_id = visitor.id
        )
        and not exists (
          select from sessions as session where session.org_id = contact.org_id and session.contact_id = contact.id
        )
        and not exists (
          select from enrollments as enrollment where enrollment.org_id = contact.org_id and enrollment.contact_id = contact.id
        )
        and not exists (
          select from contact_merges as merge where merge.org_id = contact.org_id and merge.contact_id = contact.id
        )
        and not exists (
          select from deliveries as delivery where delivery.org_id = contact.org_id and delivery.contact_id = contact.id
        )
      order by visitor.created_at limit ${VISITORS_PER_DELETION}
      for update of contact skip locked
    )
    delete from contacts where (org_id, id) in (select org_id, id from abandoned) returning org_id, id
  `.execute(trx);
  return rows;
}
