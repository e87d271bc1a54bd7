import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import type { FoundItem, SearchKind } from './schema.ts';

/** What is searched for: an id, a ticket number, or a part of a name. */
export interface Sought {
  orgId: string;
  id: string | undefined;
  ticketNumber: number | undefined;
  part: string | undefined;
}

/** SQL: that a text has the part, in any letter case. */
const has = (part: string, text: RawBuilder<unknown>) => sql`position(lower(${part}::text) in lower(${text})) > 0`;
/** SQL: that a row has the id, or its name the part. Nothing of it: none. */
const isSought = ({ id, part }: Sought, name: RawBuilder<unknown>, idColumn = sql`id`) =>
  id === undefined ? (part === undefined ? sql`false` : has(part, name)) : sql`${idColumn} = ${id}::uuid`;

/** SQL for the rows of each kind: title, detail, id. Names begin with the part before they have it elsewhere. */
const ROWS: Record<Exclude<SearchKind, 'message'>, (sought: Sought) => RawBuilder<unknown>> = {
  session: ({ orgId, id, ticketNumber }) => sql`
    select '#' || session.ticket_number || coalesce(' ' || contact.name, ' ' || contact.email, ' ' || contact.phone_number, ''),
      session.status, session.id
    from sessions as session
    left join contacts as contact on contact.org_id = session.org_id and contact.id = session.contact_id
    where session.org_id = ${orgId} and ${
      id === undefined ? sql`session.ticket_number = ${ticketNumber ?? null}::bigint` : sql`session.id = ${id}::uuid`
    }`,
  contact: ({ orgId, id }) => sql`
    select coalesce(name, email, phone_number, external_id, 'Nameless contact'), coalesce(email, phone_number), id
    from contacts where org_id = ${orgId} and id = ${id ?? null}::uuid`,
  sequence: (sought) => sql`
    select name, status, id from sequences
    where org_id = ${sought.orgId} and deleted_at is null and ${isSought(sought, sql`name`)}`,
  workflow: (sought) => sql`
    select version.name, case when workflow.active_version is null then 'inactive' else 'active' end, workflow.id
    from automations as workflow
    cross join lateral (
      select name from automation_versions where org_id = workflow.org_id and automation_id = workflow.id
      order by version_number desc limit 1
    ) as version
    where workflow.org_id = ${sought.orgId} and workflow.deleted_at is null
      and ${isSought(sought, sql`version.name`, sql`workflow.id`)}`,
  run: ({ orgId, id }) => sql`
    select version.name, run.status, run.id from automation_runs as run
    join automations as workflow on workflow.org_id = run.org_id and workflow.id = run.automation_id and workflow.deleted_at is null
    join automation_versions as version on version.org_id = run.org_id and version.id = run.version_id
    where run.org_id = ${orgId} and run.id = ${id ?? null}::uuid`,
  article: (sought) => sql`
    select title, path, id from help_center_articles
    where org_id = ${sought.orgId} and ${isSought(sought, sql`title`)}`,
  member: ({ orgId, part }) => sql`
    select member.name, person.email, member.user_id from members as member join users as person on person.id = member.user_id
    where member.org_id = ${orgId} and member.deleted_at is null
      and ${part === undefined ? sql`false` : has(part, sql`member.name || ' ' || person.email`)}`,
};

/** Finds items by their id, ticket number or a part of their name, at most `limit` of each kind. */
export async function findItems(
  db: Db,
  sought: Sought,
  { kinds, limit }: { kinds: Exclude<SearchKind, 'message'>[]; limit: number },
): Promise<FoundItem[]> {
  if (kinds.length === 0) return [];
  const begins = sql`coalesce(starts_with(lower(item.title), lower(${sought.part ?? null}::text)), false) desc`;
  const parts = kinds.map(
    (kind) => sql`
    (select ${kind}::text as kind, item.title, item.detail, jsonb_build_object('kind', ${kind}::text, 'id', item.id) as ref
      from (select title, detail, id::text from (${ROWS[kind](sought)}) as row (title, detail, id)) as item
      order by ${begins}, item.title, item.id limit ${limit})`,
  );
  const { rows } = await sql<FoundItem>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    ${sql.join(parts, sql` union all `)}
  `.execute(db);
  return rows;
}
