import type { Db, Trx } from '../../db/connect.ts';
import type { Secrets } from '../../secrets.ts';
import {
  deleteIntegrationsExcept,
  findIntegration,
  insertIntegration,
  insertIntegrations,
  listIntegrationsOf,
  upsertIntegration,
} from './queries.ts';
import { MASK } from './schema.ts';
import { openSecrets, type SecretValues, type StoredSettings, sealSecrets } from './secrets.ts';
import { type IntegrationDeps, toAnswer } from './service.ts';

export { deleteIntegration } from './queries.ts';

/** A tested, working connection of a kind that an org may have several of. */
export interface NewConnection {
  kind: string;
  name: string;
  provider: string;
  settings: StoredSettings;
  secrets: SecretValues;
}

/** Stores the connections of a new org. */
export const storeConnections = (
  db: Db,
  secrets: Secrets,
  orgId: string,
  connections: NewConnection[],
): Promise<void> =>
  insertIntegrations(
    db,
    connections.map((connection) => rowOf(secrets, orgId, connection)),
  );

/** Stores a connection. Returns false if the org has one of its kind and name. */
export const addConnection = (trx: Trx, secrets: Secrets, orgId: string, connection: NewConnection): Promise<boolean> =>
  insertIntegration(trx, rowOf(secrets, orgId, connection));

/** Replaces the settings and secrets of a connection. */
export async function replaceConnection(
  trx: Trx,
  secrets: Secrets,
  orgId: string,
  connection: NewConnection,
): Promise<void> {
  await upsertIntegration(trx, rowOf(secrets, orgId, connection));
}

/** Replaces all connections of a kind with these. What belongs to a connection stays if one of its name stays. */
export async function replaceConnections(
  trx: Trx,
  secrets: Secrets,
  orgId: string,
  { kind, connections }: { kind: string; connections: NewConnection[] },
): Promise<void> {
  await deleteIntegrationsExcept(
    trx,
    orgId,
    kind,
    connections.map(({ name }) => name),
  );
  for (const connection of connections) await upsertIntegration(trx, rowOf(secrets, orgId, connection));
}

function rowOf(secrets: Secrets, orgId: string, { kind, name, provider, settings, secrets: values }: NewConnection) {
  const masked = Object.fromEntries(Object.keys(values).map((key) => [key, MASK]));
  return {
    org_id: orgId,
    kind,
    name,
    provider,
    settings: JSON.stringify({ ...settings, ...masked }),
    secrets: sealSecrets(secrets, orgId, { kind, name }, values),
    connected: true,
  };
}

/** Returns all connections of a kind, by name. */
export async function readConnections(db: Db, deps: IntegrationDeps, orgId: string, kind: string) {
  return (await listIntegrationsOf(db, orgId, kind)).map((row) => toAnswer(deps, orgId, row, {}));
}

/** Returns the settings of a connection with "***" for its secrets, and its secrets. Undefined if there is none. */
export async function findNamedConnection(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { kind, name }: { kind: string; name: string },
): Promise<{ settings: StoredSettings; secrets: SecretValues; savedAt: Date } | undefined> {
  const row = await findIntegration(db, orgId, kind, name);
  return row && { settings: row.settings, secrets: openSecrets(secrets, orgId, row), savedAt: row.updated_at };
}

/** Returns the secrets of a connection, or undefined if there is none of this name. */
export async function findConnectionSecrets(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { kind, name }: { kind: string; name: string },
): Promise<SecretValues | undefined> {
  const row = await findIntegration(db, orgId, kind, name);
  return row && openSecrets(secrets, orgId, row);
}
