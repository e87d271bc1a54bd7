import type { Db, Trx } from '../db/connect.ts';

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
      join.onRef('contact.org_id', '=', 'visitor.org_id').onRef('contact.id', '=', 'visitor.contact_id'),
    )
    .select(['visitor.org_id as orgId', 'visitor.id', 'visitor.contact_id as contactId', 'visitor.language'])
    .select(['visitor.is_verified as isVerified', 'visitor.avatar_url as avatarUrl', 'contact.name'])
    .where('visitor.org_id', '=', orgId)
    .where('visitor.id', '=', id)
    .executeTakeFirst();
}

export type Visitor = NonNullable<Awaited<ReturnType<typeof findVisitor>>>;
