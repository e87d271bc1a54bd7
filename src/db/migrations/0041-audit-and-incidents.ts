import { type Kysely, sql } from 'kysely';

interface Audited {
  table: string;
  kind: string;
  ref: string;
  name?: string;
  /** Fields whose old and new values are recorded: of an expanded column, those that are no texts. */
  shown: string[];
  expanded?: string[];
  /** Columns that the product writes by itself. */
  ignored?: string[];
  org?: string;
}

const fieldsOf = (column: string, names: string[]) => names.map((name) => `${column}.${name}`);

const AI_VALUES = [
  'mode',
  'models',
  'budgets',
  'prices',
  'on_budget',
  'on_provider_down',
  'context_fields',
  'handoff_level',
  'quiet_seconds',
  'cap_seconds',
  'max_wrong',
  'max_turns_without_progress',
  'max_steps',
  'max_calls',
  'reopen_goes_to',
  'assume_resolved_after_minutes',
  'publish_requires',
];
const ORG_VALUES = [
  'timezone',
  'quiet_hours',
  'country',
  'daily_cap',
  'csat',
  'csat_survey',
  'handoff_target',
  'lenient_input',
  'mcp_confirm',
  'handoff_on_first_message',
  'generate_summary_and_sentiment_on_resolve',
  'member_capacity',
];
const WIDGET_VALUES = ['collect', 'office_hours_id', 'files', 'languages', 'allowed_origins'];

/** Tables whose entries change: none is written for what the product counts, and texts are recorded by the name of their field. */
const AUDITED: Audited[] = [
  {
    table: 'teams',
    kind: 'team',
    ref: 'id',
    name: 'name',
    shown: ['name', 'is_support_enabled', 'support_office_hours_id', 'support_assignment_strategy'],
  },
  {
    table: 'tags',
    kind: 'tag',
    ref: 'tag_key',
    name: 'tag_name',
    shown: ['tag_name', 'exclude_from_auto_tagging', 'category_id'],
    ignored: ['tag_key'],
  },
  { table: 'tag_categories', kind: 'tag_category', ref: 'id', name: 'name', shown: ['name'], ignored: ['name_key'] },
  {
    table: 'widget_settings',
    kind: 'widget',
    ref: 'org_id',
    shown: fieldsOf('settings', WIDGET_VALUES),
    expanded: ['settings'],
  },
  {
    table: 'ai_configs',
    kind: 'ai_settings',
    ref: 'org_id',
    shown: ['version', ...fieldsOf('draft', AI_VALUES), ...fieldsOf('published', AI_VALUES)],
    expanded: ['draft', 'published'],
  },
  {
    table: 'automations',
    kind: 'workflow',
    ref: 'id',
    shown: ['active_version'],
    ignored: [
      'constraint_errors',
      'constraint_failed_at',
      'last_constraint_error',
      'schedule_error',
      'times_lost_until',
    ],
  },
  {
    table: 'orgs',
    kind: 'org',
    org: 'id',
    ref: 'id',
    name: 'name',
    shown: ['name', 'website', 'language', ...fieldsOf('settings', ORG_VALUES)],
    expanded: ['settings'],
    ignored: ['partner_id', 'external_id'],
  },
];

const NEVER_COMPARED = ['org_id', 'id', 'created_at', 'updated_at'];

/**
 * What the audit shows is what it promises, operators' acts leave a row, and each condition that needs a person has an index
 * over all orgs. `outbox` comes last: its lock is held until the commit. Without `outbox_parked`, renewing a lease changes
 * no column that an index has.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table operator_actions (
      id uuid primary key,
      created_at timestamptz(3) not null default now(),
      operator_id uuid,
      operator_name text,
      via text not null check (via in ('key', 'session', 'command')),
      action text not null check (action in ('sending_paused', 'sending_resumed', 'event_released')),
      ref text,
      detail text
    )
  `.execute(db);
  await sql`create index operator_actions_by_creation on operator_actions (created_at, id)`.execute(db);
  await sql`alter table mcp_confirmations add column is_notified boolean not null default false`.execute(db);
  await replaceFunctions(db);
  for (const audited of AUDITED) await replaceTriggers(db, audited);
  await replaceIndexes(db);
  await sql`drop index if exists outbox_parked`.execute(db);
}

/** They find their tables whatever the search path of a session is, such as that of a subscriber of logical replication. */
async function replaceFunctions(db: Kysely<unknown>): Promise<void> {
  // An equal change of a part counts once a transaction and actor.
  await sql`
    create or replace function insert_audit_entry(org uuid, of_kind text, of_ref text, of_name text, did text, what jsonb, signed_in jsonb default null)
    returns void language plpgsql set search_path from current as $$
    declare
      actor jsonb := coalesce(nullif(current_setting('switchboard.actor', true), '')::jsonb, signed_in, '{"kind": "system"}');
    begin
      if what ->> 'part' is not null and exists (
        select from audit_entries where org_id = org and ref = of_ref and created_at = now()::timestamptz(3)
          and kind = of_kind and changes = what -> 'changes'
          and actor_kind = actor ->> 'kind' and actor_id is not distinct from actor ->> 'id'
      ) then return; end if;
      insert into audit_entries (org_id, actor_kind, actor_id, actor_name, kind, ref, name, action, changes)
      values (org, actor ->> 'kind', actor ->> 'id', left(actor ->> 'name', 255), of_kind, of_ref, left(of_name, 255), did,
        what -> 'changes');
    end
    $$
  `.execute(db);
  await sql`alter function audit_fields(jsonb, text[]) set search_path from current`.execute(db);
  await sql`alter function record_sign_in() set search_path from current`.execute(db);
  await sql`
    create or replace function record_audit() returns trigger language plpgsql set search_path from current as $$
    declare
      setting jsonb := tg_argv[0]::jsonb;
      before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
      after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
      present jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
      is_part boolean := (setting ->> 'isPart')::boolean;
      shown text[] := array(select jsonb_array_elements_text(setting -> 'shown'));
      expanded text[] := array(select jsonb_array_elements_text(setting -> 'expanded'));
      ignored text[] := array(select jsonb_array_elements_text(setting -> 'ignored'));
      ends text := case when present ? 'deleted_at' then 'deleted_at' when present ? 'revoked_at' then 'revoked_at' end;
      did text;
      refs text;
      found jsonb;
    begin
      if tg_table_name = 'member_roles' then
        select jsonb_build_object('role', name) || present into present from roles
        where org_id = (present ->> 'org_id')::uuid and id = (present ->> 'role_id')::uuid;
        if present is null then return null; end if;
        before := case when tg_op = 'INSERT' then '{}' else present end - 'role_id';
        after := case when tg_op = 'DELETE' then '{}' else present end - 'role_id';
      end if;
      did := case
        when is_part then 'changed'
        when tg_op = 'INSERT' then 'created'
        when tg_op = 'DELETE' then 'deleted'
        when before ->> ends is null and after ->> ends is not null then 'deleted'
        when before ->> ends is not null and after ->> ends is null then 'created'
        else 'changed' end;
      if tg_op = 'DELETE' and before ->> ends is not null then return null; end if;
      select coalesce(jsonb_agg(
        case when (coalesce(o.base, n.base) = any(shown) or coalesce(o.field, n.field) = any(shown))
            and length(coalesce(o.value, 'null')::text) <= 500 and length(coalesce(n.value, 'null')::text) <= 500
          then jsonb_build_object('field', coalesce(o.field, n.field), 'old', o.value, 'new', n.value)
          else jsonb_build_object('field', coalesce(o.field, n.field)) end
        order by coalesce(o.field, n.field)), '[]')
      into found
      from audit_fields(before, expanded) as o full join audit_fields(after, expanded) as n on n.field = o.field
      where coalesce(o.value, 'null') is distinct from coalesce(n.value, 'null')
        and not coalesce(o.base, n.base) = any(ignored);
      if found = '[]' and did = 'changed' then return null; end if;
      if setting ->> 'as' is not null then found := jsonb_build_array(jsonb_build_object('field', setting ->> 'as')); end if;
      select string_agg(present ->> part, '/') into refs from unnest(string_to_array(setting ->> 'ref', '/')) as part;
      perform insert_audit_entry((present ->> (setting ->> 'org'))::uuid, setting ->> 'kind', refs,
        present ->> (setting ->> 'name'), did, jsonb_build_object('changes', found, 'part', case when is_part then 1 end));
      return null;
    end
    $$
  `.execute(db);
}

/** Replaced in place, a trigger does not wait for readers of its table. */
async function replaceTriggers(db: Kysely<unknown>, { table, ignored = [], ...rest }: Audited): Promise<void> {
  const { shown, expanded = [], name = null, org = 'org_id', kind, ref } = rest;
  const unheeded = [...ignored, ...NEVER_COMPARED];
  const setting = sql.lit(
    JSON.stringify({ kind, ref, name, as: null, org, isPart: false, shown, expanded, ignored: unheeded }),
  );
  await sql`
    create or replace trigger audit_rows after insert or delete on ${sql.table(table)}
    for each row execute function record_audit(${setting})
  `.execute(db);
  const names = sql.lit(`{${unheeded.join(',')}}`);
  await sql`
    create or replace trigger audit_changes after update on ${sql.table(table)} for each row
    when (to_jsonb(old) - ${names}::text[] is distinct from to_jsonb(new) - ${names}::text[])
    execute function record_audit(${setting})
  `.execute(db);
}

async function replaceIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`drop index if exists sending_domains_failed`.execute(db);
  await sql`create index sending_domains_not_verified on sending_domains (org_id) where status <> 'verified'`.execute(
    db,
  );
  await sql`drop index if exists integrations_failing`.execute(db);
  await sql`
    create index integrations_failing on integrations (org_id)
    where failing_since is not null or connected = false and has_standing_error
  `.execute(db);
  await sql`drop index if exists automations_with_constraint_error`.execute(db);
  await sql`
    create index automations_with_constraint_error on automations (constraint_failed_at)
    where constraint_failed_at is not null and active_version is not null and deleted_at is null
  `.execute(db);
  await sql`
    create index automations_with_schedule_error on automations (org_id)
    where schedule_error is not null and active_version is not null and deleted_at is null
  `.execute(db);
}
