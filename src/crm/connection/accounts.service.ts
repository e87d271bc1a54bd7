import type { Db, Trx } from '../../db/connect.ts';
import {
  findUnconfirmedClaim,
  type PortalClaim,
  pageOfUnconfirmedClaims,
  recordAccount,
} from '../../orgs/integrations/crm-webhooks.service.ts';
import { type Command, enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import { WAKE } from '../../temporal/contract.ts';
import { type AccountRef, CONFIRM_CRM_ACCOUNT } from '../contract.ts';
import type { CrmClients } from './clients.ts';

/** Schedules a request to the CRM for the owner of each portal, once per version of a connection's settings. */
export async function schedulePortalConfirmations(trx: Trx, claims: PortalClaim[]): Promise<void> {
  for (const { org_id: orgId, portal_id, updated_at } of claims) {
    const subject = { subjectId: orgId, summary: `Confirm the owner of portal ${portal_id}` };
    await enqueue(trx, orgId, start(CONFIRM_CRM_ACCOUNT, { orgId, asOf: updated_at.getTime() }, subject));
  }
}

/** Lists the accounts that are still to be confirmed. */
export async function listUnconfirmedAccounts(
  db: Db,
  after: AccountRef | undefined,
  limit: number,
): Promise<AccountRef[]> {
  const claims = await pageOfUnconfirmedClaims(db, after?.orgId, limit);
  return claims.map(({ org_id: orgId, updated_at }) => ({ orgId, asOf: updated_at.getTime() }));
}

/** Returns the command to confirm an account whose workflow is lost. */
export const confirmAgain = (ref: AccountRef): Command =>
  signalWithStart(CONFIRM_CRM_ACCOUNT, ref, WAKE, { subjectId: ref.orgId, summary: 'Confirm the owner of a portal' });

/** Schedules the same confirmation as soon as an org claims a portal, before any event arrives from it. */
export const confirmPortalOnSettingsChange: Reaction<'integration-changed'> = async (trx, orgId, events) => {
  if (!events.some(({ payload }) => payload.kind === 'crm')) return;
  const claim = await findUnconfirmedClaim(trx, orgId);
  if (claim !== undefined) await schedulePortalConfirmations(trx, [claim]);
};

/**
 * Asks the CRM for the account of a connection's credentials, and stores the answer until the settings change. A
 * permanent refusal counts as an answer: no account. Throws a CrmError if another attempt may succeed.
 */
export async function confirmAccount(db: Db, crms: CrmClients, { orgId, asOf }: AccountRef): Promise<string> {
  const claim = await findUnconfirmedClaim(db, orgId);
  const crm = await crms.hubspot(orgId);
  if (claim === undefined || claim.updated_at.getTime() !== asOf || crm === undefined) return 'the settings are others';
  const accountId = await crm.client.findAccountId().catch((error: unknown) => {
    if (error instanceof CrmError && !error.transient) return undefined;
    throw error;
  });
  await recordAccount(db, orgId, claim, accountId);
  return accountId ?? 'no account';
}
