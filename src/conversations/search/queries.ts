import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';

/**
 * The number of newest events scanned in order before all matches are searched. A page is found among them if one in a
 * hundred matches.
 */
const SCAN_WINDOW = 6_000;

export interface FoundMessage {
  id: string;
  session_id: string;
  message: string;
  type: 'message' | 'workflow_message' | 'sequence_message' | 'human_agent_comment';
}

/** Lists the languages of the org's sessions with known word stems, with one index step per language. */
export async function listStemmedLanguages(db: Db, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ language: string }>`
    with recursive spoken as (
      (select language from sessions where org_id = ${orgId} and language is not null order by language limit 1)
      union all
      select (
        select next.language from sessions as next
        where next.org_id = ${orgId} and next.language > spoken.language order by next.language limit 1
      ) from spoken where spoken.language is not null
    )
    select language from spoken where public.search_config(language) is not null
  `.execute(db);
  return rows.map(({ language }) => language);
}

/** SQL: the messages and notes matching a query. Texts deleted by the contact are not found. */
const matches = (query: string) => sql`search @@ ${query}::tsquery and not data ? 'deleted_at'`;
const RESULT_COLUMNS = sql`id, session_id, content as message, type`;

/**
 * Finds the org's newest matching messages and notes. Frequent matches are found among the newest events, and only rare
 * ones are looked up in the index, so neither has to sort much.
 */
export async function searchMessages(db: Db, orgId: string, query: string, limit: number): Promise<FoundMessage[]> {
  const matching = matches(query);
  const { rows } = await sql<FoundMessage>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    with near as materialized (
      select * from (
        select * from session_events where org_id = ${orgId} order by xid desc, session_id desc, seq desc limit ${sql.raw(String(SCAN_WINDOW))}
      ) as newest
      where ${matching} order by xid desc, session_id desc, seq desc limit ${limit}
    ), hit as (
      select * from near where (select count(*) from near) >= ${limit}
      union all
      select * from (
        select * from (select * from session_events where org_id = ${orgId} and ${matching} offset 0) as match
        order by xid desc, session_id desc, seq desc limit ${limit}
      ) as far where (select count(*) from near) < ${limit}
    )
    select ${RESULT_COLUMNS} from hit order by xid desc, session_id desc, seq desc
  `.execute(db);
  return rows;
}

/** Finds the newest matching messages and notes in a contact's sessions. */
export async function searchMessagesOfContact(
  db: Db,
  orgId: string,
  contactId: string,
  { query, limit }: { query: string; limit: number },
): Promise<FoundMessage[]> {
  const { rows } = await sql<FoundMessage>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select ${RESULT_COLUMNS} from session_events
    where org_id = ${orgId} and ${matches(query)}
      and session_id in (select id from sessions where org_id = ${orgId} and contact_id = ${contactId})
    order by xid desc, session_id desc, seq desc
    limit ${limit}
  `.execute(db);
  return rows;
}
