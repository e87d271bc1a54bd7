import { type Kysely, sql } from 'kysely';

/** Gives the ids of sessions in other systems the words that the API documents. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update sessions set ticketing_system = ticketing_system || jsonb_build_object('id_type',
      case ticketing_system ->> 'id_type' when 'ticket' then 'ticket_id' else 'conversation_id' end)
    where ticketing_system ->> 'id_type' in ('ticket', 'conversation', 'thread')
  `.execute(db);
}
