import { randomBytes } from 'node:crypto';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import type { CallbackProvider, CallbackUrls } from '../deliveries/callback-urls.ts';
import { type Issue, invalid, notFound } from '../errors.ts';
import type { CheckResult, IntegrationCheck, IntegrationToCheck } from '../providers/integration-checks.ts';
import type { Secrets } from '../secrets.ts';
import {
  deleteIntegration,
  findIntegration,
  insertIntegrations,
  listIntegrations,
  lockIntegration,
  recordTest,
  upsertIntegration,
} from './integrations.queries.ts';
import {
  type ConnectionSettings,
  INTEGRATION_BODIES,
  type IntegrationKind,
  MASK,
  type PutIntegration,
  SECRET_PATHS,
} from './integrations.schema.ts';

type Settings = Record<string, unknown>;
/** Secrets by their path in the settings, where "***" stands in their place. */
type SecretValues = Record<string, string>;
type Row = NonNullable<Awaited<ReturnType<typeof findIntegration>>>;

const NAME = 'Default';
const WEBHOOK_TOKEN = 'webhook_token';
const WEBHOOK_TOKEN_BYTES = 32;
/** A secret goes only where it was meant for: to keep it while these change would let its holder send it elsewhere. */
const DESTINATIONS = ['host', 'base_url'];
const LEAST_SECRET_LENGTH = 4;

export interface IntegrationDeps {
  secrets: Secrets;
  /** Address under which the outside reaches the api. */
  publicUrl: string;
  callbacks: CallbackUrls;
}

export async function readIntegrations(db: Db, deps: IntegrationDeps, orgId: string) {
  return (await listIntegrations(db, orgId)).map((row) => toAnswer(deps, orgId, row));
}

/** Replaces an integration's settings. A secret sent as "***" keeps its value; throws invalid where there is none to keep. */
export function putIntegration(
  db: Db,
  deps: IntegrationDeps,
  orgId: string,
  kind: IntegrationKind,
  body: PutIntegration,
) {
  return inTransaction(db, async (trx) => {
    const stored = await lockIntegration(trx, orgId, kind, NAME);
    const before = stored === undefined ? {} : openSecrets(deps.secrets, orgId, stored);
    const { settings, values } = splitSecrets(kind, body.settings, stored?.settings ?? {}, before);
    if (kind === 'crm') values[WEBHOOK_TOKEN] = before[WEBHOOK_TOKEN] ?? newWebhookToken();
    const row = await upsertIntegration(trx, {
      org_id: orgId,
      kind,
      name: NAME,
      provider: body.provider,
      settings: JSON.stringify(settings),
      secrets: sealSecrets(deps.secrets, orgId, kind, NAME, values),
      connected: null,
    });
    return toAnswer(deps, orgId, row);
  });
}

/** Throws notFound. */
export async function removeIntegration(db: Db, orgId: string, kind: IntegrationKind): Promise<void> {
  if (!(await deleteIntegration(db, orgId, kind))) throw notFound('integration');
}

/** Makes one harmless real call with the stored settings and keeps what came back. Throws notFound. */
export async function testIntegration(
  db: Db,
  secrets: Secrets,
  check: IntegrationCheck,
  orgId: string,
  kind: IntegrationKind,
): Promise<CheckResult> {
  const row = await findIntegration(db, orgId, kind, NAME);
  if (row === undefined) throw notFound('integration');
  const values = openSecrets(secrets, orgId, row);
  const { connected, message } = await check(
    INTEGRATION_BODIES[kind].parse({
      provider: row.provider,
      settings: joinSecrets(row.settings, values),
    }) as IntegrationToCheck,
  );
  const safeMessage = withoutSecrets(message, values);
  await recordTest(db, orgId, row, { connected, last_error: connected ? null : safeMessage });
  return { connected, message: safeMessage };
}

/** The settings of an org's connection of a kind, with their secrets; undefined where there is none. What they name was not checked. */
export async function findConnection<Kind extends IntegrationKind>(
  db: Db,
  secrets: Secrets,
  orgId: string,
  kind: Kind,
): Promise<ConnectionSettings<Kind> | undefined> {
  const row = await findIntegration(db, orgId, kind, NAME);
  if (row === undefined) return undefined;
  const settings = joinSecrets(row.settings, openSecrets(secrets, orgId, row));
  return INTEGRATION_BODIES[kind].shape.settings.parse(settings) as ConnectionSettings<Kind>;
}

/** The settings of all that an org has connected, by kind, without secrets. */
export const listConnections = async (db: Db, orgId: string): Promise<Map<string, Settings>> =>
  new Map((await listIntegrations(db, orgId)).map(({ kind, settings }) => [kind, settings]));

/** A connection that was tried and works, to be stored with a new org. */
export interface NewConnection {
  kind: string;
  name: string;
  provider: string;
  settings: Settings;
  secrets: SecretValues;
}

export function storeConnections(db: Db, secrets: Secrets, orgId: string, connections: NewConnection[]): Promise<void> {
  const rows = connections.map(({ kind, name, provider, settings, secrets: values }) => ({
    org_id: orgId,
    kind,
    name,
    provider,
    settings: JSON.stringify({ ...settings, ...Object.fromEntries(Object.keys(values).map((key) => [key, MASK])) }),
    secrets: sealSecrets(secrets, orgId, kind, name, values),
    connected: true,
  }));
  return insertIntegrations(db, rows);
}

/** Kinds whose provider reports to us, with the provider. */
const CALLBACKS_OF: Record<string, CallbackProvider> = { sms: 'twilio', whatsapp: 'meta', voice: 'vapi' };

function toAnswer({ secrets, publicUrl, callbacks }: IntegrationDeps, orgId: string, { secrets: sealed, ...row }: Row) {
  const provider = CALLBACKS_OF[row.kind];
  if (provider !== undefined) return { ...row, webhook_url: callbacks.urlOf(provider, orgId) };
  if (row.kind !== 'crm') return row;
  const { [WEBHOOK_TOKEN]: token } = openSecrets(secrets, orgId, { ...row, secrets: sealed });
  return { ...row, webhook_url: `${publicUrl}/crm/webhook/${orgId}/${token}` };
}

const newWebhookToken = () => randomBytes(WEBHOOK_TOKEN_BYTES).toString('base64url');

const placeOf = (orgId: string, kind: string, name: string) => ({
  orgId,
  table: 'integrations',
  column: 'secrets',
  row: `${kind}/${name}`,
});

function sealSecrets(secrets: Secrets, orgId: string, kind: string, name: string, values: SecretValues): string | null {
  if (Object.keys(values).length === 0) return null;
  return secrets.encrypt(JSON.stringify(values), placeOf(orgId, kind, name));
}

function openSecrets(
  secrets: Secrets,
  orgId: string,
  { kind, name, secrets: sealed }: Pick<Row, 'kind' | 'name' | 'secrets'>,
): SecretValues {
  if (sealed === null) return {};
  return JSON.parse(secrets.decrypt(sealed, placeOf(orgId, kind, name)));
}

/** Takes the secrets out of the settings, leaving "***" in their place. */
function splitSecrets(kind: IntegrationKind, given: object, stored: Settings, before: SecretValues) {
  const settings = structuredClone(given) as Settings;
  const values: SecretValues = {};
  const issues: Issue[] = [];
  const hasMoved = DESTINATIONS.some((key) => settings[key] !== stored[key]);

  for (const path of SECRET_PATHS[kind]) {
    const value = valueAt(settings, path);
    if (value === undefined) continue;
    const kept = value === MASK ? before[path] : value;
    if (kept === undefined)
      issues.push({ path: `body.settings.${path}`, message: 'no secret is stored to keep: send it' });
    else if (value === MASK && hasMoved) {
      issues.push({
        path: `body.settings.${path}`,
        message: 'send the secret again: it is not kept when host or base_url changes',
      });
    } else values[path] = kept;
    setAt(settings, path, MASK);
  }
  if (issues.length > 0) {
    throw invalid(
      `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
      issues,
    );
  }
  return { settings, values };
}

function joinSecrets(settings: Settings, values: SecretValues): Settings {
  const joined = structuredClone(settings);
  for (const [path, value] of Object.entries(values)) if (path !== WEBHOOK_TOKEN) setAt(joined, path, value);
  return joined;
}

/** Paths have one step or two, and come from SECRET_PATHS. */
function valueAt(settings: Settings, path: string): string | undefined {
  const [first, second] = path.split('.') as [string, string?];
  const value = settings[first];
  return (second === undefined ? value : (value as Settings | undefined)?.[second]) as string | undefined;
}

function setAt(settings: Settings, path: string, value: string): void {
  const [first, second] = path.split('.') as [string, string?];
  if (second === undefined) settings[first] = value;
  else (settings[first] as Settings)[second] = value;
}

/** A provider may quote what it was sent. */
const withoutSecrets = (message: string, values: SecretValues) =>
  Object.values(values)
    .filter((value) => value.length >= LEAST_SECRET_LENGTH)
    .reduce((text, value) => text.replaceAll(value, MASK), message);
