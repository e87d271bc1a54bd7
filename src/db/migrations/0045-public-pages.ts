import { type Kysely, sql } from 'kysely';

/** A table whose changes the audit records, by the function of 0039. */
interface Audited {
  table: string;
  kind: string;
  name?: string;
  /** Columns whose old and new values are recorded. */
  shown: string[];
  /** Columns that the product writes by itself. */
  ignored?: string[];
  /** Which rows are audited, of `row`. Default: all. */
  where?: (row: 'old' | 'new') => string;
}

/** Bounces and replies of customers suppress addresses too, many at once. The audit has what somebody does by the API. */
const IS_BY_SOMEBODY = `nullif(current_setting('switchboard.actor', true), '') is not null`;

/** Addresses of customers are in no list: the audit outlives the erasure of a contact. */
const AUDITED: Audited[] = [
  {
    table: 'saved_replies',
    kind: 'saved_reply',
    name: 'title',
    shown: ['shortcut', 'title', 'language', 'team_id'],
    ignored: ['uses'],
  },
  {
    table: 'inbox_views',
    kind: 'view',
    name: 'name',
    shown: ['name', 'position', 'team_id'],
    where: (row) => `${row}.member_id is null`,
  },
  { table: 'blocked_contacts', kind: 'blocked_contact', shown: [] },
  { table: 'blocked_domains', kind: 'blocked_domain', name: 'domain', shown: ['domain'] },
  { table: 'suppressions', kind: 'suppression', shown: ['channel', 'reason'], where: () => IS_BY_SOMEBODY },
];

/** These columns say when a row was made or by what it is found. */
const NEVER_COMPARED = ['org_id', 'id', 'created_at', 'updated_at'];

/** Answers of readers to "Was this helpful?", the last use of API keys, and more of what the audit records. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table help_center_answers (
      org_id uuid not null,
      id uuid not null,
      article_id uuid not null,
      language text not null,
      is_helpful boolean not null,
      comment text check (length(comment) <= 1000),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, article_id) references help_center_articles (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index help_center_answers_of_article on help_center_answers (org_id, article_id, created_at, id)`.execute(
    db,
  );
  await sql`
    create index help_center_answers_unhelpful on help_center_answers (org_id, created_at, article_id) where not is_helpful
  `.execute(db);
  await sql`create index help_center_answers_by_age on help_center_answers (created_at)`.execute(db);
  await sql`
    create table help_center_feedback (
      org_id uuid not null,
      article_id uuid not null,
      language text not null,
      helpful integer not null default 0 check (helpful >= 0),
      not_helpful integer not null default 0 check (not_helpful >= 0),
      primary key (org_id, article_id, language),
      foreign key (org_id, article_id) references help_center_articles (org_id, id) on delete cascade
    )
  `.execute(db);
  for (const audited of AUDITED) await createTriggers(db, audited);
  await addUseOfKeys(db);
}

/**
 * Leaves the time of a key's last use out of what the trigger of 0039 compares: it is no change of the key. Comes last: the
 * lock of the keys is held until the commit, and every request reads them.
 */
async function addUseOfKeys(db: Kysely<unknown>): Promise<void> {
  await sql`alter table org_api_keys add column last_used_at timestamptz(3)`.execute(db);
  const ignored = ['last_used_at', ...NEVER_COMPARED];
  await createTrigger(db, {
    table: 'org_api_keys',
    trigger: 'audit_changes',
    event: 'update',
    when: isChanged(ignored),
    setting: settingOf({ kind: 'api_key', name: 'name', shown: ['name', 'scopes'] }, ignored),
  });
}

async function createTriggers(db: Kysely<unknown>, audited: Audited): Promise<void> {
  const { table, ignored = [], where } = audited;
  const unheeded = [...ignored, ...NEVER_COMPARED];
  const setting = settingOf(audited, unheeded);
  const conditions = { insert: where?.('new'), delete: where?.('old') };
  for (const event of ['insert', 'delete'] as const)
    await createTrigger(db, { table, trigger: `audit_${event}s`, event, when: conditions[event] ?? 'true', setting });
  const isAudited = where === undefined ? 'true' : `(${where('old')} or ${where('new')})`;
  const when = `${isAudited} and ${isChanged(unheeded)}`;
  await createTrigger(db, { table, trigger: 'audit_changes', event: 'update', when, setting });
}

const isChanged = (ignored: string[]): string =>
  `to_jsonb(old) - '{${ignored.join(',')}}'::text[] is distinct from to_jsonb(new) - '{${ignored.join(',')}}'::text[]`;

const settingOf = (
  { kind, name = null, shown }: { kind: string; name?: string | null; shown: string[] },
  ignored: string[],
) => JSON.stringify({ kind, ref: 'id', name, as: null, org: 'org_id', isPart: false, shown, expanded: [], ignored });

interface Trigger {
  table: string;
  trigger: string;
  event: 'insert' | 'update' | 'delete';
  when: string;
  setting: string;
}

const createTrigger = (db: Kysely<unknown>, { table, trigger, event, when, setting }: Trigger) =>
  sql`
    create or replace trigger ${sql.ref(trigger)} after ${sql.raw(event)} on ${sql.table(table)} for each row
    when (${sql.raw(when)}) execute function record_audit(${sql.lit(setting)})
  `.execute(db);
