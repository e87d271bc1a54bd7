import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { OWN_WORDS } from '../events.queries.ts';

/** Lists sessions tagged by people, the newest first, before an id. Tags are keys. */
export async function listTaggedSessions(
  db: Db,
  orgId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<{ id: string; tags: string[]; unsure: string[] }[]> {
  const { rows } = await sql<{ id: string; tags: string[]; unsure: string[] }>`
    select session_id as id, array_agg(tag_key order by tag_key) filter (where not is_auto) as tags,
      coalesce(array_agg(tag_key order by tag_key) filter (where is_auto), '{}') as unsure
    from session_tags
    where org_id = ${orgId} and (${before}::uuid is null or session_id < ${before}::uuid)
    group by session_id having not bool_and(is_auto)
    order by session_id desc limit ${limit}
  `.execute(db);
  return rows;
}

/**
 * Lists the own words of the contacts of sessions: of each the first messages, up to a number of characters in all.
 * Messages deleted by the contact are left out.
 */
export async function listContactTexts(
  db: Db,
  orgId: string,
  ids: string[],
  { messages, characters }: { messages: number; characters: number },
): Promise<{ id: string; text: string }[]> {
  const { rows } = await sql<{ id: string; text: string }>`
    select session.id, left(string_agg(said.content, E'\n' order by said.seq), ${characters}) as text
    from unnest(${ids}::uuid[]) as session (id)
    cross join lateral (
      select seq, left(${OWN_WORDS}, ${characters}) as content from session_events
      where org_id = ${orgId} and session_id = session.id and type = 'message' and sender = 'contact' and content is not null
        and not data ? 'deleted_at'
      order by seq limit ${messages}
    ) as said
    group by session.id order by session.id
  `.execute(db);
  return rows;
}

/** Lists the names of the tags ever removed from sessions, as they were written. */
export async function listRemovedTagNames(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<{ session_id: string; tag_name: string }[]> {
  const { rows } = await sql<{ session_id: string; tag_name: string }>`
    select distinct session_id, data->>'tag_name' as tag_name from session_events
    where org_id = ${orgId} and session_id = any(${ids}::uuid[]) and type = 'tag_removed'
  `.execute(db);
  return rows;
}

export const listSessionTagKeys = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('session_tags')
    .select('tag_key')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .execute();

/** Adds tags to sessions by themselves, and returns the names of the new ones. Deleted tags are left out. */
export async function insertAutoTags(
  trx: Trx,
  orgId: string,
  tags: { session_id: string; tag_key: string }[],
): Promise<{ session_id: string; tag_name: string }[]> {
  const { rows } = await sql<{ session_id: string; tag_name: string }>`
    with tag as (
      select org_id, tag_key, tag_name from tags
      where org_id = ${orgId} and tag_key = any(${tags.map(({ tag_key }) => tag_key)}::text[]) and not exclude_from_auto_tagging
      order by tag_key for key share
    ), added as (
      insert into session_tags (org_id, session_id, tag_key, is_auto)
      select tag.org_id, wanted.session_id, tag.tag_key, true
      from jsonb_to_recordset(${JSON.stringify(tags)}::jsonb) as wanted (session_id uuid, tag_key text)
      join tag on tag.tag_key = wanted.tag_key
      on conflict do nothing
      returning session_id, tag_key
    )
    select added.session_id, tag.tag_name from added join tag on tag.tag_key = added.tag_key
    order by added.session_id, tag.tag_key
  `.execute(trx);
  return rows;
}
