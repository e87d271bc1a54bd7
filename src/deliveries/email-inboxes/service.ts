import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockTeamShared } from '../../desk/teams/service.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import {
  clearDefaultSender,
  countInboxes,
  deleteInbox,
  findInboxByAddress,
  type InboxRow,
  isHostedElsewhere,
  listInboxes,
  lockInboxes,
  upsertInbox,
} from './queries.ts';
import type { ListInboxes, PutInbox } from './schema.ts';

export {
  type AnnouncedMail,
  findDefaultInbox,
  findInbox,
  findInboxByAddress,
  listInboxesAt,
  listReceivingInboxes,
} from './queries.ts';

const MAX_INBOXES = 100;
/** Local parts that belong to the operator of a domain (RFC 2142), and those of our own addresses. */
const RESERVED = /^(?:postmaster|mailer-daemon|abuse|hostmaster|webmaster|[br]-[0-9a-v]{61})@/;

interface Installation {
  /** The domain at which the installation receives e-mail. */
  inboundDomain: string | undefined;
}

/**
 * Adds an inbox, or replaces one with the same address: an absent field gets its default. Throws conflict over the limit
 * and for an address of another org at the installation's domain.
 */
export function putInbox(db: Db, orgId: string, input: PutInbox, { inboundDomain }: Installation) {
  const { address, team_id } = input;
  const isHosted = address.endsWith(`@${inboundDomain}`);
  if (isHosted && RESERVED.test(address))
    throw refused('address', 'belongs to the operator of this domain: choose another one');
  return inTransaction(db, async (trx) => {
    await lockInboxes(trx, orgId);
    if (team_id !== null && !(await lockTeamShared(trx, orgId, team_id)))
      throw refused('team_id', 'must be the id of a team: GET /teams lists them');
    await assertFree(trx, orgId, address, isHosted);
    if (input.is_default_sender) await clearDefaultSender(trx, orgId, address);
    await upsertInbox(trx, orgId, { ...input, id: newId(), is_hosted: isHosted });
    return shownInbox(await findInboxByAddress(trx, orgId, address));
  });
}

async function assertFree(trx: Trx, orgId: string, address: string, isHosted: boolean): Promise<void> {
  if (isHosted && (await isHostedElsewhere(trx, orgId, address)))
    throw conflict(`address: ${address} belongs to another organization: choose another one`);
  const isNew = (await findInboxByAddress(trx, orgId, address)) === undefined;
  if (isNew && (await countInboxes(trx, orgId)) >= MAX_INBOXES)
    throw conflict(`address: an org has at most ${MAX_INBOXES} inboxes: delete one that is not in use`);
}

/** Returns a page of the org's inboxes, oldest first. */
export async function pageOfInboxes(db: Db, orgId: string, query: ListInboxes) {
  const { items, next } = await pageOf(db, query, (page) => listInboxes(db, orgId, page));
  return { items: items.map(shownInbox), next };
}

/** Deletes an inbox. Its sessions stay. Throws notFound. */
export async function removeInbox(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteInbox(db, orgId, id))) throw notFound('inbox');
}

function shownInbox(row: InboxRow | undefined) {
  if (row === undefined) throw notFound('inbox');
  return { ...row, status: row.is_verified ? ('verified' as const) : ('pending' as const) };
}
