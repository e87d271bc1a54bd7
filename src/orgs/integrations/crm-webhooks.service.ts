import type { Db } from '../../db/connect.ts';
import type { Secrets } from '../../secrets.ts';
import {
  type CrmApp,
  findIntegration,
  findPortalClaim,
  listPortalClaims,
  type PortalClaim,
  recordCheckResult,
} from './queries.ts';
import { CONNECTION_NAME, openSecrets, WEBHOOK_TOKEN } from './secrets.ts';

export type { CrmApp, PortalClaim } from './queries.ts';

/** What a call must bring to an org's own address for its CRM; undefined where none is connected. The secret, where there is one, signs it. */
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

/** Who says of each of some portals of a CRM that it is theirs. Nothing but the CRM's own word confirms it. */
export const findPortalClaims = async (db: Db, app: CrmApp, portalIds: string[]): Promise<Map<string, PortalClaim[]>> =>
  Map.groupBy(await listPortalClaims(db, app, portalIds), ({ portal_id }) => portal_id);

/** The portal that an org says is its own, as long as nobody has said whether it is. */
export async function findUnconfirmedClaim(db: Db, orgId: string): Promise<PortalClaim | undefined> {
  const claim = await findPortalClaim(db, orgId);
  return claim?.is_confirmed ? undefined : claim;
}

/** Keeps of which account the CRM says that the credentials are, where it says so. Another one than the org's shows in the integration. */
export function recordAccount(db: Db, orgId: string, claim: PortalClaim, accountId: string | undefined): Promise<void> {
  const { portal_id, updated_at } = claim;
  const found = accountId === undefined ? 'no account that HubSpot names' : `HubSpot's account ${accountId}`;
  const last_error = `portal_id: these credentials are of ${found}, not of ${portal_id}: mend that with PUT /integrations/crm`;
  return recordCheckResult(
    db,
    orgId,
    { kind: 'crm', name: CONNECTION_NAME, updated_at },
    { account_id: accountId ?? 'unknown', ...(accountId === portal_id ? {} : { connected: false, last_error }) },
  );
}
