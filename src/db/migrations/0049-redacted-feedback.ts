import { type Kysely, sql } from 'kysely';

const IGNORED = ['reason', 'api_key_id', 'actor', 'org_id', 'id', 'created_at', 'updated_at'];
const AUDIT = JSON.stringify({
  kind: 'redaction',
  ref: 'id',
  name: null,
  as: null,
  org: 'org_id',
  isPart: false,
  shown: ['kind', 'session_id', 'message_id', 'feedback_id', 'affected'],
  expanded: [],
  ignored: IGNORED,
});

/** What operators do. Each leaves a row. */
const ACTIONS = [
  'sending_paused',
  'sending_resumed',
  'event_released',
  'key_created',
  'key_revoked',
  'login_link_created',
  'signed_in',
  'signed_out',
  'logins_ended',
  'partner_created',
  'partner_deactivated',
  'partner_networks_changed',
  'customer_key_revoked',
  'member_link_created',
  'repair_started',
  'reencryption_started',
  'file_deletion_started',
];

/** Sentences of readers can be redacted one by one, and more of what operators do is recorded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table operator_actions drop constraint operator_actions_action_check`.execute(db);
  await sql`
    alter table operator_actions add constraint operator_actions_action_check check (action = any(${sql.lit(`{${ACTIONS.join(',')}}`)}::text[]))
  `.execute(db);
  await sql`alter table help_center_answers add column redacted_at timestamptz(3)`.execute(db);
  await sql`
    alter table redactions
      alter session_id drop not null,
      add column feedback_id uuid,
      drop constraint redactions_kind_check,
      add constraint redactions_kind_check check (kind in ('message', 'session', 'feedback')) not valid,
      add constraint redactions_subject_check check (
        case kind when 'feedback' then feedback_id is not null and session_id is null else session_id is not null end) not valid
  `.execute(db);
  await sql`
    create or replace trigger audit_rows after insert or delete on redactions
    for each row execute function record_audit(${sql.lit(AUDIT)})
  `.execute(db);
  const names = sql.lit(`{${IGNORED.join(',')}}`);
  await sql`
    create or replace trigger audit_changes after update on redactions for each row
    when (to_jsonb(old) - ${names}::text[] is distinct from to_jsonb(new) - ${names}::text[])
    execute function record_audit(${sql.lit(AUDIT)})
  `.execute(db);
}
