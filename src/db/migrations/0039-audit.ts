import { type Kysely, sql } from 'kysely';

/** What of a table the audit shows. A column that no list names is recorded by its name alone. */
interface Audited {
  table: string;
  kind: string;
  /** The column that identifies the object. Of two, both joined by a slash. */
  ref: string;
  name?: string;
  /** Columns whose old and new values are recorded. They hold no secrets and no texts of customers. */
  shown?: string[];
  /** Objects whose members are compared one by one. */
  expanded?: string[];
  /** Columns that the product writes by itself. */
  ignored?: string[];
  /** A row is a part of the object: its insert or deletion changes the object. */
  isPart?: boolean;
  /** The name under which a change of any of the parts is recorded, once a transaction. */
  as?: string;
  /** Only new rows are recorded. */
  isInsertOnly?: boolean;
  org?: string;
}

const AUDITED: Audited[] = [
  {
    table: 'orgs',
    kind: 'org',
    org: 'id',
    ref: 'id',
    name: 'name',
    shown: ['name', 'website', 'language', 'settings'],
    expanded: ['settings'],
    ignored: ['partner_id', 'external_id'],
  },
  {
    table: 'members',
    kind: 'member',
    ref: 'user_id',
    name: 'name',
    shown: ['name'],
    ignored: ['is_available', 'language', 'settings'],
  },
  { table: 'member_roles', kind: 'member', ref: 'user_id', shown: ['role'], ignored: ['user_id'], isPart: true },
  { table: 'org_api_keys', kind: 'api_key', ref: 'id', name: 'name', shown: ['name', 'scopes'] },
  {
    table: 'integrations',
    kind: 'integration',
    ref: 'kind/name',
    shown: ['provider'],
    expanded: ['settings'],
    ignored: [
      'kind',
      'name',
      'connected',
      'account_id',
      'last_error',
      'last_success_at',
      'last_error_at',
      'failing_since',
      'has_standing_error',
      'errors_cut_at',
    ],
  },
  {
    table: 'webhook_endpoints',
    kind: 'webhook',
    ref: 'id',
    name: 'description',
    shown: ['description', 'event_types', 'payload', 'ordered', 'max_per_second', 'header_names', 'enabled'],
    ignored: [
      'disabled_because',
      'disabled_at',
      'failures',
      'failing_since',
      'probe_at',
      'next_slot_at',
      'is_sending',
      'earlier_secrets',
      'recoveries',
      'last_failed_at',
    ],
  },
  {
    table: 'sequences',
    kind: 'sequence',
    ref: 'id',
    name: 'name',
    shown: ['name', 'custom_id', 'is_continuous', 'status', 'gates'],
    ignored: ['started_at', 'paused_at', 'canceled_at', 'ended_at', 'changes_to_apply', 'has_stale_turns'],
  },
  { table: 'sequence_steps', kind: 'sequence', ref: 'sequence_id', isPart: true, as: 'steps' },
  {
    table: 'automations',
    kind: 'workflow',
    ref: 'id',
    shown: ['active_version'],
    ignored: ['last_constraint_error', 'schedule_error', 'times_lost_until'],
  },
  {
    table: 'automation_versions',
    kind: 'workflow',
    ref: 'automation_id',
    name: 'name',
    shown: ['name', 'version_number', 'trigger_type'],
    ignored: ['automation_id', 'characters', 'credential_origins'],
    isPart: true,
  },
  {
    table: 'ai_configs',
    kind: 'ai_settings',
    ref: 'org_id',
    shown: ['draft', 'published', 'version'],
    expanded: ['draft', 'published'],
  },
  { table: 'autopilot', kind: 'autopilot', ref: 'channel', name: 'channel', shown: ['autopilot_enabled'] },
  {
    table: 'ai_workflow_tools',
    kind: 'ai_tool',
    ref: 'workflow_id',
    name: 'name',
    shown: ['name', 'channels', 'confirm', 'requires_verified', 'limits'],
    ignored: ['workflow_id'],
  },
  {
    table: 'actions',
    kind: 'action',
    ref: 'id',
    name: 'name',
    shown: [
      'name',
      'request_type',
      'operation_id',
      'channels',
      'pinned',
      'tags',
      'require_form_submission',
      'retry_safe',
      'requires_verified',
      'confirm',
      'limits',
      'held',
      'read_only',
    ],
    ignored: ['connection_kind', 'connection_name', 'connection_operation'],
  },
  {
    table: 'mcp_servers',
    kind: 'mcp_server',
    ref: 'name',
    name: 'name',
    ignored: ['name', 'kind', 'verdict', 'protocol', 'listed_at', 'requested_at'],
  },
  {
    table: 'mcp_tools',
    kind: 'mcp_server',
    ref: 'server',
    ignored: [
      'server',
      'tool',
      'action_id',
      'listed',
      'listed_hash',
      'problem',
      'accepted_hash',
      'accepted_at',
      'changed_at',
    ],
    isPart: true,
    as: 'tools',
  },
  { table: 'widget_settings', kind: 'widget', ref: 'org_id', shown: ['settings'], expanded: ['settings'] },
  {
    table: 'teams',
    kind: 'team',
    ref: 'id',
    name: 'name',
    shown: ['name', 'description', 'is_support_enabled', 'support_office_hours_id', 'support_assignment_strategy'],
  },
  {
    table: 'team_members',
    kind: 'team',
    ref: 'team_id',
    shown: ['user_id'],
    ignored: ['team_id', 'turn'],
    isPart: true,
  },
  {
    table: 'office_hours',
    kind: 'office_hours',
    ref: 'id',
    name: 'name',
    shown: ['name', 'iana_timezone', 'shifts', 'holidays'],
  },
  {
    table: 'sla_policies',
    kind: 'sla_policy',
    ref: 'id',
    name: 'name',
    shown: [
      'name',
      'office_hours_id',
      'first_reply_target_seconds',
      'next_reply_target_seconds',
      'resolution_target_seconds',
      'assignment',
    ],
  },
  {
    table: 'tags',
    kind: 'tag',
    ref: 'tag_key',
    name: 'tag_name',
    shown: ['tag_name', 'exclude_from_auto_tagging', 'description', 'category_id'],
    ignored: ['tag_key'],
  },
  {
    table: 'tag_categories',
    kind: 'tag_category',
    ref: 'id',
    name: 'name',
    shown: ['name', 'description'],
    ignored: ['name_key'],
  },
  { table: 'tag_settings', kind: 'tag_settings', ref: 'org_id', shown: ['auto_tagging_enabled'] },
  {
    table: 'training_items',
    kind: 'training',
    ref: 'id',
    shown: [
      'type',
      'is_draft',
      'visibility',
      'version',
      'directory_id',
      'restricted_to_channels',
      'restricted_to_segments',
    ],
    ignored: ['published_at', 'learned_from_session_id'],
  },
  { table: 'training_directories', kind: 'training_directory', ref: 'id', name: 'name', shown: ['name'] },
  {
    table: 'datasources',
    kind: 'website',
    ref: 'id',
    name: 'display_name',
    shown: [
      'display_name',
      'page_limit',
      'exclude_paths',
      'include_paths',
      'crawl_interval_hours',
      'includes_www',
      'rendering',
      'ignored_parameters',
    ],
    ignored: ['status', 'settings_version', 'last_crawl_started_at', 'last_crawl_completed_at', 'error_message'],
  },
  { table: 'help_centers', kind: 'help_center', ref: 'org_id' },
  {
    table: 'help_center_categories',
    kind: 'help_center_category',
    ref: 'id',
    name: 'name',
    shown: ['path', 'name', 'position'],
    ignored: ['hash', 'slug'],
  },
  {
    table: 'help_center_articles',
    kind: 'help_center_article',
    ref: 'id',
    name: 'title',
    shown: ['path', 'title', 'position'],
    ignored: ['hash', 'slug'],
  },
  {
    table: 'phone_agents',
    kind: 'phone_agent',
    ref: 'id',
    name: 'name',
    shown: ['name', 'type', 'voice_id', 'language', 'use_org_knowledgebase', 'action_ids', 'model'],
  },
  {
    table: 'phone_numbers',
    kind: 'phone_number',
    ref: 'provider_id',
    name: 'number',
    shown: ['phone_agent_id'],
    ignored: ['provider_id', 'number', 'bound_at'],
  },
  {
    table: 'sending_domains',
    kind: 'email_domain',
    ref: 'domain',
    name: 'domain',
    shown: ['domain', 'selector'],
    ignored: ['public_key', 'status', 'dmarc_status', 'checked_at', 'found', 'dmarc_found'],
  },
  {
    table: 'email_inboxes',
    kind: 'email_inbox',
    ref: 'id',
    name: 'address',
    shown: ['address', 'display_name', 'team_id', 'is_default_sender', 'is_hosted'],
  },
  {
    table: 'redactions',
    kind: 'redaction',
    ref: 'id',
    shown: ['kind', 'session_id', 'message_id', 'affected'],
    ignored: ['reason', 'api_key_id', 'actor'],
  },
  {
    table: 'exports',
    kind: 'export',
    ref: 'id',
    name: 'resource',
    shown: ['resource', 'format'],
    ignored: ['created_after', 'created_before', 'actor', 'state', 'attempt', 'restarts', 'known_erasures', 'written'],
    isInsertOnly: true,
  },
];

/** These columns say when a row was made or by what it is found. */
const NEVER_COMPARED = ['org_id', 'id', 'created_at', 'updated_at'];

/**
 * Keeps who changed what an org has set up. Triggers write it, in the transaction of the change: no code that writes one of
 * these tables can leave it out. Who acts is `switchboard.actor` of the transaction, or else the product itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_entries (
      org_id uuid not null references orgs (id),
      id uuid not null default gen_random_uuid(),
      created_at timestamptz(3) not null default now(),
      actor_kind text not null,
      actor_id text,
      actor_name text,
      kind text not null,
      ref text not null,
      name text,
      action text not null check (action in ('created', 'changed', 'deleted')),
      changes jsonb not null,
      primary key (org_id, id)
    )
  `.execute(db);
  await sql`create index audit_entries_by_creation on audit_entries (org_id, created_at, id)`.execute(db);
  await sql`create index audit_entries_by_actor on audit_entries (org_id, actor_id, created_at, id)`.execute(db);
  await sql`create index audit_entries_by_kind on audit_entries (org_id, kind, created_at, id)`.execute(db);
  await sql`create index audit_entries_by_ref on audit_entries (org_id, ref, created_at, id)`.execute(db);
  await sql`create index audit_entries_by_age on audit_entries (created_at)`.execute(db);
  await createFunctions(db);
  for (const audited of AUDITED) await createTrigger(db, audited);
  await sql`
    create trigger audit_sign_ins after insert on dashboard_sessions
    for each row execute function record_sign_in()
  `.execute(db);
}

async function createFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function insert_audit_entry(org uuid, of_kind text, of_ref text, of_name text, did text, what jsonb, signed_in jsonb default null)
    returns void language plpgsql as $$
    declare
      actor jsonb := coalesce(nullif(current_setting('switchboard.actor', true), '')::jsonb, signed_in, '{"kind": "system"}');
    begin
      if what ->> 'part' is not null and exists (
        select from audit_entries where org_id = org and ref = of_ref and created_at = now()::timestamptz(3)
          and kind = of_kind and changes = what -> 'changes'
      ) then return; end if;
      insert into audit_entries (org_id, actor_kind, actor_id, actor_name, kind, ref, name, action, changes)
      values (org, actor ->> 'kind', actor ->> 'id', left(actor ->> 'name', 255), of_kind, of_ref, left(of_name, 255), did,
        what -> 'changes');
    end
    $$
  `.execute(db);
  await sql`
    create function audit_fields(row_values jsonb, expanded text[]) returns table (field text, base text, value jsonb)
    language sql immutable as $$
      select entry.key, entry.key, entry.value from jsonb_each(row_values) as entry
      where not (entry.key = any(expanded) and jsonb_typeof(entry.value) = 'object')
      union all
      select entry.key || '.' || inner_entry.key, entry.key, inner_entry.value
      from jsonb_each(row_values) as entry
      cross join lateral jsonb_each(case when jsonb_typeof(entry.value) = 'object' then entry.value else '{}' end) as inner_entry
      where entry.key = any(expanded)
    $$
  `.execute(db);
  // A value of more characters is recorded by the name of its field alone.
  await sql`
    create function record_audit() returns trigger language plpgsql as $$
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
        case when coalesce(o.base, n.base) = any(shown)
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
  await sql`
    create function record_sign_in() returns trigger language plpgsql as $$
    declare
      who text := (select name from members where org_id = new.org_id and user_id = new.user_id);
    begin
      perform insert_audit_entry(new.org_id, 'sign_in', new.user_id::text, who, 'created', '{"changes": []}',
        jsonb_build_object('kind', 'member', 'id', new.user_id, 'name', who));
      return null;
    end
    $$
  `.execute(db);
}

async function createTrigger(db: Kysely<unknown>, { table, ignored = [], ...rest }: Audited): Promise<void> {
  const { shown = [], expanded = [], name = null, as = null, org = 'org_id', isPart = false, kind, ref } = rest;
  const unheeded = [...ignored, ...NEVER_COMPARED];
  const setting = sql.lit(JSON.stringify({ kind, ref, name, as, org, isPart, shown, expanded, ignored: unheeded }));
  const events = rest.isInsertOnly === true ? sql`insert` : sql`insert or delete`;
  await sql`
    create trigger audit_rows after ${events} on ${sql.table(table)} for each row execute function record_audit(${setting})
  `.execute(db);
  if (rest.isInsertOnly === true) return;
  const names = sql.lit(`{${unheeded.join(',')}}`);
  await sql`
    create trigger audit_changes after update on ${sql.table(table)} for each row
    when (to_jsonb(old) - ${names}::text[] is distinct from to_jsonb(new) - ${names}::text[])
    execute function record_audit(${setting})
  `.execute(db);
}
