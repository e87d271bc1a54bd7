import { randomBytes } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { announce } from '../../outbox/announcing.ts';
import type { CheckResult, IntegrationCheck, IntegrationToCheck } from '../../providers/integration-checks.ts';
import type { Secrets } from '../../secrets.ts';
import { getSettings } from '../queries.ts';
import { NO_TARGET } from '../settings/warnings.rules.ts';
import type { CallbackUrls } from './callback-urls.ts';
import {
  connectionExists,
  deleteIntegration,
  findIntegration,
  listIntegrations,
  lockIntegration,
  recordCheckResult,
  upsertIntegration,
} from './queries.ts';
import type { CallbackProvider } from './schema.ts';
import { type ConnectionSettings, INTEGRATION_BODIES, type IntegrationKind, type PutIntegration } from './schema.ts';
import {
  CONNECTION_NAME,
  joinSecrets,
  openSecrets,
  type StoredIntegration,
  type StoredSettings,
  sealSecrets,
  splitSecrets,
  WEBHOOK_TOKEN,
  withoutSecrets,
} from './secrets.ts';
import { settingsWithoutEffect } from './warnings.rules.ts';

const WEBHOOK_TOKEN_BYTES = 32;

export interface IntegrationDeps {
  secrets: Secrets;
  /** The public address of the API. */
  publicUrl: string;
  callbacks: CallbackUrls;
}

export { listHandoffTargets } from './queries.ts';

/** Returns all connections of an org, as getIntegration does one. */
export async function readIntegrations(db: Db, deps: IntegrationDeps, orgId: string) {
  const [rows, settings] = await Promise.all([listIntegrations(db, orgId), getSettings(db, orgId)]);
  return rows.map((row) => toAnswer(deps, orgId, row, settings));
}

/** Returns an org's connection of a kind. Throws notFound. */
export async function getIntegration(db: Db, deps: IntegrationDeps, orgId: string, kind: IntegrationKind) {
  const [row, settings] = await Promise.all([
    findIntegration(db, orgId, kind, CONNECTION_NAME),
    getSettings(db, orgId),
  ]);
  if (row === undefined) throw notFound('integration');
  return toAnswer(deps, orgId, row, settings);
}

/**
 * Replaces an integration's settings. A secret sent as "***" keeps its value. Throws invalid if there is no value to
 * keep.
 */
export function putIntegration(
  db: Db,
  deps: IntegrationDeps,
  orgId: string,
  { kind, provider, settings: given }: PutIntegration & { kind: IntegrationKind },
) {
  return inTransaction(db, async (trx) => {
    const stored = await lockIntegration(trx, orgId, kind, CONNECTION_NAME);
    const before = stored === undefined ? {} : openSecrets(deps.secrets, orgId, stored);
    const { settings, values } = splitSecrets(kind, given, stored?.settings ?? {}, before);
    if (kind === 'crm') values[WEBHOOK_TOKEN] = before[WEBHOOK_TOKEN] ?? newWebhookToken();
    await announce(trx, orgId, [{ type: 'integration-changed', subject_id: orgId, payload: { kind } }]);
    const row = await upsertIntegration(trx, {
      org_id: orgId,
      kind,
      name: CONNECTION_NAME,
      provider,
      settings: JSON.stringify(settings),
      secrets: sealSecrets(deps.secrets, orgId, { kind, name: CONNECTION_NAME }, values),
      connected: null,
    });
    return toAnswer(deps, orgId, row, await getSettings(trx, orgId));
  });
}

/** Deletes an integration. Throws notFound. */
export function removeIntegration(db: Db, orgId: string, kind: IntegrationKind): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await deleteIntegration(trx, orgId, kind))) throw notFound('integration');
    await announce(trx, orgId, [{ type: 'integration-deleted', subject_id: orgId, payload: { kind } }]);
  });
}

/** Makes one harmless real call with the stored settings and records the result. Throws notFound. */
export async function testIntegration(
  db: Db,
  { secrets, check }: { secrets: Secrets; check: IntegrationCheck },
  orgId: string,
  kind: IntegrationKind,
): Promise<CheckResult> {
  const row = await findIntegration(db, orgId, kind, CONNECTION_NAME);
  if (row === undefined) throw notFound('integration');
  const values = openSecrets(secrets, orgId, row);
  const {
    connected,
    message,
    isAnswered = false,
  } = await check(
    INTEGRATION_BODIES[kind].parse({
      provider: row.provider,
      settings: joinSecrets(row.settings, values),
    }) as IntegrationToCheck,
  );
  const safeMessage = withoutSecrets(message, values);
  const failure = { last_error: safeMessage, has_standing_error: isAnswered, is_failing: !isAnswered };
  await recordCheckResult(db, orgId, row, connected ? { connected } : { connected, ...failure });
  return { connected, message: safeMessage };
}

/**
 * Returns the settings of an org's connection of a kind, including secrets. Undefined if there is none. Addresses in
 * them are not validated.
 */
export async function findConnection<Kind extends IntegrationKind>(
  db: Db,
  secrets: Secrets,
  orgId: string,
  kind: Kind,
): Promise<ConnectionSettings<Kind> | undefined> {
  const row = await findIntegration(db, orgId, kind, CONNECTION_NAME);
  if (row === undefined) return undefined;
  const settings = joinSecrets(row.settings, openSecrets(secrets, orgId, row));
  return INTEGRATION_BODIES[kind].shape.settings.parse(settings) as ConnectionSettings<Kind>;
}

/** Returns when an org's connection of a kind was last saved, even if with the same settings. */
export const findSavedAt = async (db: Db, orgId: string, kind: IntegrationKind): Promise<Date | undefined> =>
  (await findIntegration(db, orgId, kind, CONNECTION_NAME))?.updated_at;

/** SQL: whether the org has a connection of a kind. */
export const hasConnection = (orgId: string, kind: IntegrationKind): RawBuilder<boolean> =>
  connectionExists(orgId, kind, CONNECTION_NAME);

/** Returns the settings of all connections of an org by kind, without secrets. */
export const listConnections = async (db: Db, orgId: string): Promise<Map<string, StoredSettings>> =>
  new Map((await listIntegrations(db, orgId)).map(({ kind, settings }) => [kind, settings]));

const HANDOFF_TARGETS = ['crm', 'miaw'];
/** The providers with callbacks, by kind of connection. */
const CALLBACK_PROVIDERS: Record<string, CallbackProvider> = {
  sms: 'twilio',
  whatsapp: 'meta',
  messenger: 'meta',
  instagram: 'meta',
  slack: 'slack',
  voice: 'vapi',
};

/** Returns a connection as it is shown. */
export function toAnswer(
  { secrets, publicUrl, callbacks }: IntegrationDeps,
  orgId: string,
  { secrets: sealed, ...row }: StoredIntegration,
  settings: Record<string, unknown>,
) {
  const isWithoutTarget = HANDOFF_TARGETS.includes(row.kind) && (settings.handoff_target ?? null) === null;
  const warnings = [...(isWithoutTarget ? [NO_TARGET] : []), ...settingsWithoutEffect(row.kind, row.settings)];
  const shown = { ...row, connected: isConnected(row), warnings };
  const provider = CALLBACK_PROVIDERS[row.kind];
  if (provider !== undefined) return { ...shown, webhook_url: callbacks.urlOf(provider, orgId) };
  if (row.kind !== 'crm') return shown;
  const { [WEBHOOK_TOKEN]: token } = openSecrets(secrets, orgId, { ...row, secrets: sealed });
  return { ...shown, webhook_url: `${publicUrl}/crm/webhook/${orgId}/${token}` };
}

/** Null if nothing was called or tested since the settings were replaced. */
function isConnected({
  connected,
  has_standing_error,
  last_success_at,
  failing_since,
}: Omit<StoredIntegration, 'secrets'>): boolean | null {
  if (failing_since !== null || (connected === false && has_standing_error)) return false;
  return last_success_at === null ? connected : true;
}

const newWebhookToken = () => randomBytes(WEBHOOK_TOKEN_BYTES).toString('base64url');
