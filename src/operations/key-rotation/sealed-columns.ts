import { resealOverrides } from '../../contacts/saving/sealed-overrides.rules.ts';
import type { SecretPlace, Secrets } from '../../secrets.ts';

/** A column with encrypted secrets: a secret by itself, or JSON with some. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key. Its first column is the owner of the secrets. */
  key: [string, ...string[]];
  /** SQL: the row in the place of the secrets. */
  row: string;
  /** The table or column in the place of the secrets, where it is another. */
  place?: Partial<Pick<SecretPlace, 'table' | 'column'>>;
  /** Encrypts a stored value of this column again, where more than its secrets changes. */
  reseal?: (secrets: Secrets, stored: string, place: SecretPlace) => string;
}

const STEPS = { table: 'automation_versions', column: 'workflow_blocks' };
const AUTOMATION_OF_STEP = `(
  select automation_id from automation_runs as run where run.org_id = automation_steps.org_id and run.id = run_id
)`;

/** Every column with encrypted secrets. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'integrations', column: 'secrets', key: ['org_id', 'kind', 'name'], row: `kind || '/' || name` },
  { table: 'crm_tokens', column: 'sealed', key: ['org_id', 'connection'], row: 'connection' },
  { table: 'miaw_conversations', column: 'sealed_token', key: ['org_id', 'session_id'], row: 'session_id' },
  {
    table: 'miaw_conversations',
    column: 'ended_sealed_token',
    key: ['org_id', 'session_id'],
    row: 'session_id',
    place: { column: 'sealed_token' },
  },
  { table: 'sending_domains', column: 'private_key', key: ['org_id', 'id'], row: 'id' },
  { table: 'orgs', column: 'http_action_overrides', key: ['id'], row: 'id' },
  {
    table: 'contacts',
    column: 'http_action_overrides',
    key: ['org_id', 'id'],
    row: 'org_id',
    reseal: (secrets, stored, { orgId }) => JSON.stringify(resealOverrides(secrets, orgId, JSON.parse(stored))),
  },
  { table: 'message_overrides', column: 'sealed', key: ['org_id', 'message_id'], row: 'message_id' },
  { table: 'idempotency_keys', column: 'answer', key: ['principal_id', 'key'], row: 'key' },
  { table: 'idempotency_keys', column: 'full_answer', key: ['principal_id', 'key'], row: 'key' },
  { table: 'webhook_endpoints', column: 'secret', key: ['org_id', 'id'], row: 'id' },
  { table: 'webhook_endpoints', column: 'headers', key: ['org_id', 'id'], row: 'id' },
  {
    table: 'webhook_endpoints',
    column: 'earlier_secrets',
    key: ['org_id', 'id'],
    row: 'id',
    place: { column: 'secret' },
  },
  { table: 'automation_versions', column: 'trigger_configuration', key: ['org_id', 'id'], row: 'automation_id' },
  { table: 'automation_versions', column: 'workflow_blocks', key: ['org_id', 'id'], row: 'automation_id' },
  {
    table: 'automation_versions',
    column: 'workflow_editor_state',
    key: ['org_id', 'id'],
    row: 'automation_id',
    place: STEPS,
  },
  {
    table: 'automation_steps',
    column: 'changed_input',
    key: ['org_id', 'run_id', 'path'],
    row: AUTOMATION_OF_STEP,
    place: STEPS,
  },
];
