import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

/** Sets the language of a session without one, and indexes its earlier messages with the stems of this language. */
export async function setLanguage(trx: Trx, orgId: string, sessionId: string, language: string): Promise<void> {
  await sql`
    with session as (
      update sessions set language = ${language}
      where org_id = ${orgId} and id = ${sessionId} and language is null
      returning org_id, id, language
    )
    update session_events as event set language = session.language
    from session
    where event.org_id = session.org_id and event.session_id = session.id and event.search is not null
  `.execute(trx);
}
