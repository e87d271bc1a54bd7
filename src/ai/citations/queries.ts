import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { PageRequest } from '../../db/cursor.ts';

/** A passage cited by answers. `isChanged` says whether the change is recorded. */
export interface CitedPassage {
  item_id: string;
  hash: string;
  is_changed: boolean;
}

/** Lists the cited passages of items, each once. */
export async function listCitedPassages(trx: Trx, orgId: string, itemIds: string[]): Promise<CitedPassage[]> {
  const { rows } = await sql<CitedPassage>`
    select distinct item_id, hash, changed_at is not null as is_changed
    from ai_claims where org_id = ${orgId} and item_id = any(${itemIds}::uuid[])
  `.execute(trx);
  return rows;
}

/**
 * Lists the passages cited by the answers with these message ids. Each message takes two index look-ups: `offset 0`
 * keeps the planner from joining all turns with all their sources while it does not know how many there are.
 */
export async function listPassagesOfMessages(trx: Trx, orgId: string, messageIds: string[]): Promise<CitedPassage[]> {
  const { rows } = await sql<CitedPassage>`
    select distinct claim.item_id, claim.hash, claim.is_changed
    from unnest(${messageIds}::uuid[]) as message (id)
    cross join lateral (
      select id from ai_turns where org_id = ${orgId} and message_id = message.id offset 0
    ) as turn
    cross join lateral (
      select item_id, hash, changed_at is not null as is_changed
      from ai_claims where org_id = ${orgId} and turn_id = turn.id offset 0
    ) as claim
  `.execute(trx);
  return rows;
}

interface PassageRef {
  item_id: string;
  hash: string;
}

/** How many answers cite a changed passage of an item. */
export interface ChangedItem {
  item_id: string;
  url: string | null;
  turns: number;
}

/** Records the loss of passages, and returns the items with the newly affected answers. */
export async function markPassagesChanged(trx: Trx, orgId: string, passages: PassageRef[]): Promise<ChangedItem[]> {
  if (passages.length === 0) return [];
  const { rows } = await sql<ChangedItem>`
    with changed as (
      update ai_claims as claim set changed_at = now()
      from ${refs(passages)} as gone (item_id, hash)
      where claim.org_id = ${orgId} and claim.item_id = gone.item_id and claim.hash = gone.hash and claim.changed_at is null
      returning claim.item_id, claim.url, claim.turn_id
    )
    select item_id, max(url) as url, count(distinct turn_id)::int as turns from changed group by item_id order by item_id
  `.execute(trx);
  return rows;
}

/** Records the return of passages. */
export async function markPassagesRestored(trx: Trx, orgId: string, passages: PassageRef[]): Promise<void> {
  if (passages.length === 0) return;
  await sql`
    update ai_claims as claim set changed_at = null
    from ${refs(passages)} as back (item_id, hash)
    where claim.org_id = ${orgId} and claim.item_id = back.item_id and claim.hash = back.hash and claim.changed_at is not null
  `.execute(trx);
}

const refs = (passages: PassageRef[]) => sql`unnest(
  ${passages.map(({ item_id }) => item_id)}::uuid[], ${passages.map(({ hash }) => hash)}::text[]
)`;

/**
 * Lists citations of passages that are gone, by the time of the change: the rows of a page, plus one more if there is
 * one.
 */
export async function listChangedCitations(
  db: Db,
  orgId: string,
  { item_id, session_id }: { item_id: string | undefined; session_id: string | undefined },
  { after, settled, limit }: PageRequest,
) {
  const { rows } = await sql<{
    id: string;
    turn_id: string;
    session_id: string;
    ticket_number: number;
    contact_name: string | null;
    message_id: string | null;
    item_id: string;
    chunk: number;
    url: string | null;
    title: string;
    heading: string;
    quote: string | null;
    changed_at: Date;
    created_at: Date;
  }>`
    select claim.id, claim.turn_id, turn.session_id, session.ticket_number, contact.name as contact_name, case when turn.has_message then turn.message_id end as message_id,
      claim.item_id, claim.chunk, claim.url, claim.title, claim.heading, claim.quote, claim.changed_at,
      claim.changed_at as created_at
    from ai_claims as claim join ai_turns as turn on turn.org_id = claim.org_id and turn.id = claim.turn_id
    join sessions as session on session.org_id = turn.org_id and session.id = turn.session_id
    left join contacts as contact on contact.org_id = session.org_id and contact.id = session.contact_id
    where claim.org_id = ${orgId} and claim.changed_at < ${settled}
      and (${item_id ?? null}::uuid is null or claim.item_id = ${item_id ?? null}::uuid)
      ${session_id === undefined ? sql`` : sql`and turn.session_id = ${session_id}`}
      and (${after?.at ?? null}::timestamptz is null
        or (claim.changed_at, claim.id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by claim.changed_at, claim.id limit ${limit + 1}
  `.execute(db);
  return rows;
}
