import { type Kysely, sql } from 'kysely';

/**
 * How rare a feature is depends on the number of texts that were counted. It stands beside the features, as that of bucket
 * -1, and no longer has to be guessed from the vectors: these may be those of a model.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into insight_terms (org_id, bucket, texts)
    select org_id, -1, count(*) from insight_statements where has_terms group by org_id
  `.execute(db);
}
