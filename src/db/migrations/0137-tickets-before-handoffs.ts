import { type Kysely, sql } from 'kysely';

/** What a workflow's step has made is of no handoff: the first handoff of its session tries again what was refused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update crm_handoff_parts as part set handoff_number = 0 from sessions as session
    where session.org_id = part.org_id and session.id = part.session_id and session.handoffs = 0;
  `.execute(db);
}
