import { type Kysely, sql } from 'kysely';

/** Reports sum up what the steps of a range's turns have cost. Most steps cost nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index ai_steps_with_costs on ai_steps (org_id, turn_id) include (usage, cost)
      where usage is not null or cost is not null
  `.execute(db);
}
