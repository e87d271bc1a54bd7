import { z } from 'zod';
import type { HubspotApi } from './api.ts';
import { HubspotId } from './ids.ts';

/** The endpoint for the account of a token. */
export const ACCOUNT_PATH = '/account-info/v3/details';

export const Account = z.object({ portalId: HubspotId });

export async function findAccountId(api: HubspotApi): Promise<string> {
  const call = { method: 'GET', path: ACCOUNT_PATH, what: 'an account' } as const;
  return (await api.request(call, Account)).portalId;
}
