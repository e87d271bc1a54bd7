import { createHash } from 'node:crypto';
import { shareByKey } from '../../concurrency/limited.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import {
  recordRecovery,
  recordRefusal,
  replaceSecret,
  type UsedSecret,
} from '../../orgs/integrations/connection-status.service.ts';
import type { ConnectionSettings } from '../../orgs/integrations/schema.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import type { TokenSource } from '../../providers/crm/hubspot/api.ts';
import type { GrantedToken, OauthGrant, RefreshToken } from '../../providers/crm/hubspot/oauth.ts';
import type { Secrets } from '../../secrets.ts';
import { clearToken, findToken, lockToken, type StoredToken, saveToken } from './tokens.queries.ts';

export type HubspotSettings = ConnectionSettings<'crm'>;

export interface TokenDeps {
  db: Db;
  secrets: Secrets;
  refreshOf(orgId: string, settings: HubspotSettings): RefreshToken;
}

const NOT_FOUND = 404;
const REFRESH_BEFORE_EXPIRY_MS = 5 * 60_000;
/** The minimum remaining lifetime of a token used while no new one can be had. */
const MIN_REMAINING_MS = 30_000;
const RECOVERY_INTERVAL_MS = 60_000;

const REFUSED_TOKEN =
  'HubSpot refuses the access token: make a new one in HubSpot, and send it with PUT /integrations/crm';
const REFUSED_GRANT =
  'HubSpot refuses the authorization of its app: connect the app again in HubSpot, and send its oauth settings with PUT /integrations/crm';
const NO_TOKEN_PATH =
  'HubSpot issues no tokens at the token_path (404): send the right one with PUT /integrations/crm, or set HUBSPOT_TOKEN_PATH';

/** Identifies the credentials of a connection without revealing them. */
export function connectionDigestOf({ base_url, access_token, oauth }: HubspotSettings): string {
  const parts = [base_url, access_token, oauth?.client_id, oauth?.client_secret, oauth?.refresh_token];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/**
 * Creates the sources of the orgs' access tokens: the configured token, or tokens granted to an app. Granted tokens are
 * refreshed one at a time over all processes, and once for all callers in this process.
 */
export function createTokenSources(deps: TokenDeps): (orgId: string, settings: HubspotSettings) => TokenSource {
  const shared = shareByKey<string>();
  return (orgId, settings) => {
    const { access_token, oauth } = settings;
    if (oauth !== undefined)
      return grantTokenSource(deps, { orgId, settings, oauth, connection: connectionDigestOf(settings) }, shared);
    if (access_token === undefined) throw new Error('The connection has neither a token nor a grant');
    return staticTokenSource(deps, orgId, access_token);
  };
}

function staticTokenSource(deps: TokenDeps, orgId: string, token: string): TokenSource {
  const used = { path: 'access_token', value: token };
  return { get: async () => token, ...createRefusalReporter(deps, orgId, used, REFUSED_TOKEN) };
}

interface Grant {
  orgId: string;
  settings: HubspotSettings;
  oauth: OauthGrant;
  connection: string;
}

function grantTokenSource(
  deps: TokenDeps,
  grant: Grant,
  shared: (key: string, work: () => Promise<string>) => Promise<string>,
): TokenSource {
  const { db, secrets } = deps;
  const { orgId, oauth, connection } = grant;
  const { refuse, confirm } = createRefusalReporter(deps, orgId, secretOf(oauth), REFUSED_GRANT, NO_TOKEN_PATH);
  return {
    async get() {
      const stored = ifValidFor(REFRESH_BEFORE_EXPIRY_MS, await findToken(db, orgId, connection));
      if (stored !== undefined) return decryptToken(secrets, orgId, connection, stored.sealed);
      return shared(`${orgId} ${connection}`, () => refreshToken(deps, grant));
    },
    async refuse(token) {
      const stored = await findToken(db, orgId, connection);
      if (stored === undefined || decryptToken(secrets, orgId, connection, stored.sealed) !== token) return;
      await clearToken(db, orgId, connection, stored.sealed);
      await refuse(token);
    },
    confirm,
  };
}

/**
 * The second transaction finds the first one's token. A refusal is recorded only while the refused grant is still the
 * org's.
 */
async function refreshToken(deps: TokenDeps, grant: Grant): Promise<string> {
  const { db, secrets } = deps;
  const tried = await inTransaction(db, (trx) => refreshUnderLock(trx, deps, grant));
  if ('token' in tried) return tried.token;
  if (isRefusal(tried.error)) {
    const message = isElsewhere(tried.error) ? NO_TOKEN_PATH : REFUSED_GRANT;
    const refusal = { kind: 'crm', used: secretOf(grant.oauth), message } as const;
    await recordRefusal(db, secrets, grant.orgId, refusal);
  }
  throw tried.error;
}

async function refreshUnderLock(
  trx: Trx,
  { secrets, refreshOf }: TokenDeps,
  grant: Grant,
): Promise<{ token: string } | { error: unknown }> {
  const { orgId, settings, oauth, connection } = grant;
  const stored = await lockToken(trx, orgId, connection);
  const fresh = ifValidFor(REFRESH_BEFORE_EXPIRY_MS, stored);
  if (fresh !== undefined) return { token: decryptToken(secrets, orgId, connection, fresh.sealed) };
  const answer = await refreshOf(orgId, settings)(settings, oauth).catch((error: unknown) => ({ error }));
  if ('error' in answer) {
    const isFinal = isRefusal(answer.error) && !isElsewhere(answer.error);
    const last = isFinal ? undefined : ifValidFor(MIN_REMAINING_MS, stored);
    return last === undefined ? answer : { token: decryptToken(secrets, orgId, connection, last.sealed) };
  }
  await saveGrantedToken(trx, secrets, grant, answer);
  return { token: answer.accessToken };
}

/**
 * Stores the access token, and a replacement of the refresh token in the integration. The access token is stored for
 * both versions of the settings, for readers of the earlier one.
 */
async function saveGrantedToken(trx: Trx, secrets: Secrets, grant: Grant, granted: GrantedToken): Promise<void> {
  const { orgId, settings, oauth } = grant;
  const connections = new Set([grant.connection]);
  if (granted.refreshToken !== oauth.refresh_token) {
    await replaceSecret(trx, secrets, orgId, { kind: 'crm', used: secretOf(oauth), value: granted.refreshToken });
    connections.add(connectionDigestOf({ ...settings, oauth: { ...oauth, refresh_token: granted.refreshToken } }));
  }
  const tokens = [...connections].map((connection) => ({
    connection,
    sealed: secrets.encrypt(granted.accessToken, secretLocationOf(orgId, connection)),
  }));
  await saveToken(trx, orgId, tokens, granted.expiresInSeconds);
}

/** Reports on the integration whether the credentials are accepted. It is well again after each of the messages. */
function createRefusalReporter(
  { db, secrets }: TokenDeps,
  orgId: string,
  used: UsedSecret,
  message: string,
  ...others: string[]
) {
  let recoveryAt = 0;
  return {
    async refuse(_token: string) {
      recoveryAt = 0;
      await recordRefusal(db, secrets, orgId, { kind: 'crm', used, message });
    },
    async confirm() {
      if (Date.now() < recoveryAt) return;
      recoveryAt = Date.now() + RECOVERY_INTERVAL_MS;
      await recordRecovery(db, orgId, 'crm', [message, ...others]);
    },
  };
}

const ifValidFor = (ms: number, stored: StoredToken | undefined): StoredToken | undefined =>
  stored !== undefined && stored.expires_at.getTime() - Date.now() > ms ? stored : undefined;

const secretOf = ({ refresh_token }: OauthGrant): UsedSecret => ({ path: 'oauth.refresh_token', value: refresh_token });

const isRefusal = (error: unknown) => error instanceof CrmError && error.areCredentialsRefused;

/** Whether tokens are issued at another path. */
const isElsewhere = (error: unknown) => error instanceof CrmError && error.status === NOT_FOUND;

const secretLocationOf = (orgId: string, connection: string) => ({
  orgId,
  table: 'crm_tokens',
  column: 'sealed',
  row: connection,
});

const decryptToken = (secrets: Secrets, orgId: string, connection: string, sealed: string) =>
  secrets.decrypt(sealed, secretLocationOf(orgId, connection));
