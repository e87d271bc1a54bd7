import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, type Issue, invalid, notFound } from '../../errors.ts';
import {
  deleteIntegration,
  findConnectionSecrets,
  type NewConnection,
  readConnections,
  replaceConnections,
  storeConnections,
} from '../../orgs/integrations/named-connections.service.ts';
import { MASK } from '../../orgs/integrations/schema.ts';
import type { IntegrationDeps } from '../../orgs/integrations/service.ts';
import type { FareHarbor } from '../../providers/fareharbor.ts';
import type { Secrets } from '../../secrets.ts';
import { replaceConnectionActions } from '../definitions/connection-actions.service.ts';
import { withNames } from './names.rules.ts';
import { operationsOf } from './operations.rules.ts';
import type { FareHarborConnection, PutFareHarbor } from './schema.ts';

const KIND = 'fareharbor';
const KEYS = ['app_key', 'user_key'] as const;

export type NamedConnection = FareHarborConnection & { name: string };

export interface FareHarborDeps {
  secrets: Secrets;
  fareHarbor: FareHarbor;
}

/** Returns the connections with a name each. Throws invalid for a name that stands twice. `field` is for messages. */
export function namedConnections(connections: FareHarborConnection[], field: string): NamedConnection[] {
  const named = withNames(connections);
  const names = named.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated === undefined) return named;
  throw invalid(`${field}: each connection needs a separate name, "${repeated}" is there twice`);
}

/**
 * Checks the keys of connections with the live API. Throws invalid if one is refused, and unavailable if a check gets no
 * answer. `pathOf` names the field of a connection, and `consequence` ends the messages.
 */
export async function assertAccepted(
  fareHarbor: FareHarbor,
  connections: NamedConnection[],
  { pathOf, consequence }: { pathOf: (index: number) => string; consequence: string },
): Promise<void> {
  const verdicts = await Promise.all(connections.map((connection) => fareHarbor.check(connection)));
  const issues: Issue[] = connections.flatMap(({ name }, index) =>
    verdicts[index] === 'refused'
      ? [{ path: pathOf(index), message: `FareHarbor refused the credentials of the connection "${name}"` }]
      : [],
  );
  if (issues.length > 0) throw invalid(`${issues.map(({ message }) => message).join('; ')}. ${consequence}`, issues);
  if (!verdicts.includes('unavailable')) return;
  throw new DomainError(
    'unavailable',
    `FareHarbor could not be asked about the credentials. ${consequence}: try again soon`,
  );
}

/** Stores the checked connections of a new org, with their actions. */
export async function storeFareHarbor(
  trx: Trx,
  { secrets, fareHarbor }: FareHarborDeps,
  orgId: string,
  connections: NamedConnection[],
): Promise<void> {
  if (connections.length === 0) return;
  await storeConnections(trx, secrets, orgId, connections.map(toConnection));
  await replaceActions(trx, fareHarbor, orgId, connections);
}

/**
 * Checks connections with the live API, and replaces all of an org's with them, and their actions. Actions of a
 * connection whose name stays keep their ids and the org's settings of them. Throws as assertAccepted does.
 */
export async function putFareHarbor(
  db: Db,
  deps: IntegrationDeps & FareHarborDeps,
  orgId: string,
  { connections }: PutFareHarbor,
) {
  const named = await withStoredKeys(db, deps.secrets, orgId, namedConnections(connections, 'connections'));
  const pathOf = (index: number) => `body.connections.${index}`;
  await assertAccepted(deps.fareHarbor, named, { pathOf, consequence: 'Nothing was changed' });
  return inTransaction(db, async (trx) => {
    await replaceConnections(trx, deps.secrets, orgId, { kind: KIND, connections: named.map(toConnection) });
    await replaceActions(trx, deps.fareHarbor, orgId, named);
    return readConnections(trx, deps, orgId, KIND);
  });
}

/** Returns an org's connections, by name. */
export const readFareHarbor = (db: Db, deps: IntegrationDeps, orgId: string) => readConnections(db, deps, orgId, KIND);

/** Deletes a connection, or all of them, with their actions. Throws notFound if there is none. */
export async function removeFareHarbor(db: Db, orgId: string, name: string | undefined): Promise<void> {
  if (!(await deleteIntegration(db, orgId, KIND, name))) throw notFound('connection');
}

const replaceActions = (trx: Trx, { baseUrl }: FareHarbor, orgId: string, connections: NamedConnection[]) =>
  replaceConnectionActions(
    trx,
    orgId,
    KIND,
    connections.map((connection) => ({ name: connection.name, operations: operationsOf(connection, baseUrl) })),
  );

/** Replaces each "***" with the stored key of the connection of this name. Throws invalid if there is none. */
async function withStoredKeys(
  db: Db,
  secrets: Secrets,
  orgId: string,
  connections: NamedConnection[],
): Promise<NamedConnection[]> {
  const issues: Issue[] = [];
  const joined: NamedConnection[] = [];
  for (const [index, connection] of connections.entries()) {
    const kept = KEYS.filter((key) => connection[key] === MASK);
    const { name } = connection;
    const stored = kept.length === 0 ? {} : await findConnectionSecrets(db, secrets, orgId, { kind: KIND, name });
    for (const key of kept)
      if (stored?.[key] === undefined)
        issues.push({ path: `body.connections.${index}.${key}`, message: 'no key is stored to keep: send it' });
    joined.push({ ...connection, ...Object.fromEntries(kept.map((key) => [key, stored?.[key] ?? MASK])) });
  }
  if (issues.length > 0)
    throw invalid(
      `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
      issues,
    );
  return joined;
}

const toConnection = ({ app_key, user_key, name, default_company_shortname }: NamedConnection): NewConnection => ({
  kind: KIND,
  name,
  provider: KIND,
  settings: default_company_shortname === undefined ? {} : { default_company_shortname },
  secrets: { app_key, user_key },
});
