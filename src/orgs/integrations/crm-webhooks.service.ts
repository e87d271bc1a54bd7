import type { Db } from '../../db/connect.ts';
import { hasEvent } from '../../outbox/pending.queries.ts';
import type { Secrets } from '../../secrets.ts';
import {
  type CrmApp,
  findIntegration,
  findPortalClaim,
  listPortalClaims,
  listUnconfirmedClaims,
  type PortalClaim,
  recordCheckResult,
  setCrmErrors,
} from './queries.ts';
import { CONNECTION_NAME, openSecrets, WEBHOOK_TOKEN } from './secrets.ts';

export type { CrmApp, PortalClaim } from './queries.ts';

const CONTESTED =
  'portal_id: another organization has connected this portal too. Neither gets its events: DELETE /integrations/crm in one of them';

/**
 * Returns the credentials required of webhooks to an org's own CRM address. Undefined if no CRM is connected. The
 * secret, if there is one, signs the webhook.
 */
export async function findCrmWebhookCredentials(
  db: Db,
  secrets: Secrets,
  orgId: string,
): Promise<{ token: string; secret: string | undefined } | undefined> {
  const row = await findIntegration(db, orgId, 'crm', CONNECTION_NAME);
  if (row === undefined) return undefined;
  const { [WEBHOOK_TOKEN]: token, webhook_secret: secret } = openSecrets(secrets, orgId, row);
  return token === undefined ? undefined : { token, secret };
}

/** Returns the claims of orgs to some portals of a CRM, by portal. Only the CRM itself can confirm a claim. */
export const findPortalClaims = async (db: Db, app: CrmApp, portalIds: string[]): Promise<Map<string, PortalClaim[]>> =>
  Map.groupBy(await listPortalClaims(db, app, portalIds), ({ portal_id }) => portal_id);

/** Shows on the connections of all orgs with the same portal that none of them gets its events. */
export const recordContestedPortal = (db: Db, claims: PortalClaim[]): Promise<void> =>
  setCrmErrors(
    db,
    claims.map(({ org_id }) => org_id),
    { to: CONTESTED },
  );

/** Removes that error from a connection which is the only one of its portal again. */
export async function clearContestedPortal(db: Db, { org_id, last_error }: PortalClaim): Promise<void> {
  if (last_error === CONTESTED) await setCrmErrors(db, [org_id], { from: CONTESTED, to: null });
}

/** Returns the org's claim to a portal, unless the CRM has already named the account of its credentials. */
export async function findUnconfirmedClaim(db: Db, orgId: string): Promise<PortalClaim | undefined> {
  const claim = await findPortalClaim(db, orgId);
  return claim?.is_confirmed ? undefined : claim;
}

/** Lists the claims of orgs whose account HubSpot has not named yet, unless their change is still to be reacted to. */
export const pageOfUnconfirmedClaims = (db: Db, after: string | undefined, limit: number): Promise<PortalClaim[]> =>
  listUnconfirmedClaims(db, { after, limit, except: hasEvent('integration-changed', 'integrations', 'org_id') });

/**
 * Stores the account of an org's credentials as named by the CRM, if it names one. An account other than the claimed
 * portal is recorded as the integration's error.
 */
export function recordAccount(db: Db, orgId: string, claim: PortalClaim, accountId: string | undefined): Promise<void> {
  const { portal_id, updated_at } = claim;
  const found = accountId === undefined ? 'no account that HubSpot names' : `HubSpot's account ${accountId}`;
  const last_error = `portal_id: these credentials are of ${found}, not of ${portal_id}: mend that with PUT /integrations/crm`;
  return recordCheckResult(
    db,
    orgId,
    { kind: 'crm', name: CONNECTION_NAME, updated_at },
    {
      account_id: accountId ?? 'unknown',
      ...(accountId !== portal_id && { connected: false, last_error, has_standing_error: true, is_failing: false }),
    },
  );
}
