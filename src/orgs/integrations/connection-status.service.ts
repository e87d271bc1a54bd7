import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Secrets } from '../../secrets.ts';
import { clearError, lockIntegration, recordCheckResult, setConnectionError, updateSecrets } from './queries.ts';
import type { IntegrationKind } from './schema.ts';
import { CONNECTION_NAME, openSecrets, type SecretValues, type StoredIntegration, sealSecrets } from './secrets.ts';

export { cutErrorsToStatus } from './queries.ts';

/**
 * The secret used in a call to a provider. The result of the call does not apply to a later secret at the same path.
 */
export interface UsedSecret {
  path: string;
  value: string;
}

/** Records the provider's refusal of a connection's secret. The message states the reason and the remedy. */
export async function recordRefusal(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { kind, used, message }: { kind: IntegrationKind; used: UsedSecret; message: string },
): Promise<void> {
  await withSecretInUse(db, secrets, { orgId, kind, used }, (trx, row) =>
    recordCheckResult(trx, orgId, row, {
      connected: false,
      last_error: message,
      has_standing_error: true,
      is_failing: true,
    }),
  );
}

/** Shows an error of an org's connection. Whether it is connected stays as it was. */
export const recordConnectionError = (db: Db, orgId: string, kind: IntegrationKind, message: string): Promise<void> =>
  setConnectionError(db, orgId, { kind, name: CONNECTION_NAME }, message);

/** Records that a connection works again, if it was refused with one of these messages. */
export const recordRecovery = (db: Db, orgId: string, kind: IntegrationKind, messages: string[]): Promise<void> =>
  clearError(db, orgId, { kind, name: CONNECTION_NAME }, messages);

/** Replaces a secret with the one issued by the provider. */
export async function replaceSecret(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { kind, used, value }: { kind: IntegrationKind; used: UsedSecret; value: string },
): Promise<void> {
  await withSecretInUse(db, secrets, { orgId, kind, used }, (trx, row, values) => {
    const sealed = sealSecrets(secrets, orgId, row, { ...values, [used.path]: value });
    return updateSecrets(trx, orgId, row, sealed);
  });
}

/** Does nothing if the connection was deleted or has another secret by now. */
const withSecretInUse = (
  db: Db,
  secrets: Secrets,
  { orgId, kind, used: { path, value } }: { orgId: string; kind: IntegrationKind; used: UsedSecret },
  work: (trx: Trx, row: StoredIntegration, values: SecretValues) => Promise<void>,
) =>
  inTransaction(db, async (trx) => {
    const row = await lockIntegration(trx, orgId, kind, CONNECTION_NAME);
    const values = row === undefined ? {} : openSecrets(secrets, orgId, row);
    if (row !== undefined && values[path] === value) await work(trx, row, values);
  });
