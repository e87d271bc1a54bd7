import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';

/** Rows scanned in order before the set of all matches is built. They fill a page of 100 if one in fifteen matches. */
const SCAN_WINDOW = 1_500;

interface FoundContact {
  id: string;
  email: string | null;
  phone_number: string | null;
  phone: string | null;
  external_id: string | null;
  name: string | null;
  custom_data: Record<string, string>;
  created_at: Date;
  updated_at: Date;
}

interface SearchPage {
  after: { at: Date; id: string } | undefined;
  settledBefore: Date;
  limit: number;
}

const COLUMNS = sql`contacts.id, contacts.email, contacts.phone_number, contacts.phone_number as phone,
  contacts.external_id, contacts.name, contacts.custom_data, contacts.created_at, contacts.updated_at`;

/**
 * Returns the matches among the first rows in order. The page is complete only if there are more matches than the
 * limit.
 */
export async function searchFirstRows(
  db: Db,
  orgId: string,
  groups: Expression<SqlBool>[],
  page: SearchPage,
): Promise<FoundContact[]> {
  const { rows } = await sql<FoundContact>`
    select ${COLUMNS}
    from (
      select * from contacts where ${isInPage(orgId, page)} order by created_at, id limit ${sql.raw(String(SCAN_WINDOW))}
    ) as contacts
    where ${sql.join(groups, sql` or `)}
    order by created_at, id
    limit ${page.limit + 1}
  `.execute(db);
  return rows;
}

/**
 * Returns the first of all matches. Each group is searched separately, so that each can use its indexes. `offset 0`
 * makes Postgres find the whole set before sorting. In list order, it would scan to the end if matches are few or come
 * last.
 */
export async function searchAllRows(
  db: Db,
  orgId: string,
  groups: Expression<SqlBool>[],
  page: SearchPage,
): Promise<FoundContact[]> {
  const matches = groups.map(
    (group) => sql`(
      select created_at, id from (
        select contacts.created_at, contacts.id from contacts where ${isInPage(orgId, page)} and ${group} offset 0
      ) as match
      order by created_at, id
      limit ${page.limit + 1}
    )`,
  );
  const { rows } = await sql<FoundContact>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select ${COLUMNS}
    from (
      select created_at, id from (${sql.join(matches, sql` union `)}) as match order by created_at, id limit ${page.limit + 1}
    ) as hit
    join contacts on contacts.org_id = ${orgId} and contacts.id = hit.id
    order by hit.created_at, hit.id
  `.execute(db);
  return rows;
}

function isInPage(orgId: string, { after, settledBefore }: SearchPage): RawBuilder<SqlBool> {
  const place = sql<SqlBool>`contacts.org_id = ${orgId} and contacts.created_at < ${settledBefore}`;
  if (after === undefined) return place;
  return sql<SqlBool>`${place} and (contacts.created_at, contacts.id) > (${after.at}::timestamptz, ${after.id}::uuid)`;
}
