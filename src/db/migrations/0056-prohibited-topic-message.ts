import { type Kysely, sql } from 'kysely';

/**
 * The sentence about a prohibited topic is a setting of the org, no longer one of the AI's sentences by language. One
 * that is published becomes the setting: that of the org's language, or else any.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update orgs as org set settings = org.settings || jsonb_build_object('prohibited_topic_message', said.text)
    from (
      select distinct on (config.org_id) config.org_id, phrase.value->>'prohibited_topic' as text
      from ai_configs as config join orgs on orgs.id = config.org_id
      cross join jsonb_each(config.published->'phrases') as phrase
      where jsonb_typeof(config.published->'phrases') = 'object' and phrase.value ? 'prohibited_topic'
      order by config.org_id, phrase.key = orgs.language desc nulls last, phrase.key
    ) as said
    where org.id = said.org_id and not org.settings ? 'prohibited_topic_message'
  `.execute(db);
  for (const column of ['draft', 'published'])
    await sql`
      update ai_configs set ${sql.ref(column)} = jsonb_set(${sql.ref(column)}, '{phrases}', (
        select coalesce(jsonb_object_agg(phrase.key, phrase.value - 'prohibited_topic'), '{}') from jsonb_each(${sql.ref(column)}->'phrases') as phrase
      ))
      where jsonb_typeof(${sql.ref(column)}->'phrases') = 'object'
    `.execute(db);
}
