import { type Kysely, sql } from 'kysely';

/** Values that an org stored for all of its actions are bound to the hosts of the actions that it has now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update orgs set settings = jsonb_set(settings, '{http_action_overrides,hosts}', coalesce(
      (select jsonb_agg(distinct host) from actions
        cross join lateral substring(api_endpoint from '^https?://[^/?#@]+') as host
        where actions.org_id = orgs.id and host is not null), '[]'))
    where jsonb_typeof(settings -> 'http_action_overrides') = 'object' and not settings -> 'http_action_overrides' ? 'hosts'
  `.execute(db);
}
