import { type Kysely, type RawBuilder, sql } from 'kysely';

const CALLS_OF_ACTIONS = sql.lit('strict $.**?(@."$kind" == "Action" && @.type == "execute-action")');

/**
 * Credentials in the steps that call an action are bound to the scheme, host and port that the action has now. Those of a
 * step whose action is chosen by a value of the run are bound to those of all actions of the org.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table automation_versions add column credential_origins jsonb`.execute(db);
  await sql`alter table automation_steps add column changed_input_origins text[]`.execute(db);
  await bindCredentials(db);
}

/** Binds the credentials that are bound to nothing yet. */
export async function bindCredentials(db: Kysely<unknown>): Promise<void> {
  await sql`
    update automation_versions as version set credential_origins = (
      select coalesce(jsonb_object_agg(step ->> 'id', to_jsonb(${originsOf(sql`version.org_id`, sql`step #>> '{input,action_id}'`)})), '{}')
      from jsonb_path_query(workflow_blocks, ${CALLS_OF_ACTIONS}) as step
      where step ->> 'id' is not null
    )
    where credential_origins is null and workflow_blocks @? ${CALLS_OF_ACTIONS}
  `.execute(db);
  await sql`
    update automation_steps as step
    set changed_input_origins = ${originsOf(sql`step.org_id`, sql`changed_input ->> 'action_id'`)}
    from (select distinct org_id, run_id, place from automation_retries where is_input_changed) as retry
    where step.org_id = retry.org_id and step.run_id = retry.run_id and step.place = retry.place
      and step.type = 'execute-action' and jsonb_typeof(step.changed_input) = 'object' and changed_input_origins is null
  `.execute(db);
}

const originsOf = (org: RawBuilder<unknown>, called: RawBuilder<unknown>) => sql`(
  select coalesce(array_agg(distinct origin), '{}') from actions
  cross join lateral substring(api_endpoint from '^https?://[^/?#@]+') as origin
  where actions.org_id = ${org} and origin is not null and (${called} like '%{{%' or actions.id::text = lower(${called}))
)`;
