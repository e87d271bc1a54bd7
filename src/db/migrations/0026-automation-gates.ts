import { type Kysely, sql } from 'kysely';

/** What waits for runs to end, who had a run retried, and the texts of redacted sessions in runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table automation_gates (
      org_id uuid not null references orgs (id),
      id uuid not null,
      session_id uuid not null,
      is_elsewhere boolean not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );
    alter table automation_runs add column gate_id uuid, add column resumed_at jsonb;
    create index automation_runs_of_gate on automation_runs (org_id, gate_id) where gate_id is not null;

    create table automation_retries (
      org_id uuid not null,
      id uuid not null,
      run_id uuid not null,
      place text not null,
      step_id text not null,
      is_skip boolean not null,
      is_input_changed boolean not null,
      reason text,
      api_key_id text not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, run_id) references automation_runs (org_id, id) on delete cascade
    );
    create index automation_retries_of_run on automation_retries (org_id, run_id, created_at);

    create index automation_runs_of_session on automation_runs (org_id, (trigger_output #>> '{session,id}'))
      where trigger_output #>> '{session,id}' is not null;
    create index automation_steps_of_session on automation_steps (org_id, (input ->> 'session_id'))
      where input ->> 'session_id' is not null;
    create index automation_heard_of_session on automation_heard (org_id, (output #>> '{session,id}'))
      where output #>> '{session,id}' is not null;

    create function without_texts(value jsonb, name text) returns jsonb language plpgsql immutable as $$
    begin
      case jsonb_typeof(value)
        when 'object' then
          return (select coalesce(jsonb_object_agg(key, without_texts(inner_value, key)), '{}')
            from jsonb_each(value) as entry (key, inner_value));
        when 'array' then
          return (select coalesce(jsonb_agg(without_texts(item, name) order by position), '[]')
            from jsonb_array_elements(value) with ordinality as entry (item, position));
        when 'string' then
          return case
            when value #>> '{}' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then value
            when name ~ '(^|_)(ids?|at|until|type|status|channel|language|number)$' and length(value #>> '{}') <= 64 then value
            else '"[redacted]"' end;
        else
          return value;
      end case;
    end $$;
  `.execute(db);
}
