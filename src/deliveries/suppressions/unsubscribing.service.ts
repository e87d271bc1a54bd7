import { holdMerges } from '../../contacts/merging/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import type { PageBrand } from '../../html/brand.rules.ts';
import type { MediaLinks } from '../../media/links.ts';
import { readBrand } from '../../orgs/brand/service.ts';
import type { UnsubscribeLinks } from '../ledger/delivery-links.ts';
import { findUnsubscribeTarget, insertUnsubscribe } from './shared.queries.ts';

type LinkedDelivery = NonNullable<ReturnType<UnsubscribeLinks['read']>>;

/** Returns the address that a link is about, and how the page of its org looks. Throws notFound. */
export async function getUnsubscribeTarget(
  db: Db,
  media: MediaLinks,
  { orgId, deliveryId }: LinkedDelivery,
): Promise<{ to: string; brand: PageBrand }> {
  const found = await findUnsubscribeTarget(db, orgId, deliveryId);
  if (found === undefined) throw notFound('unsubscribe link');
  return { to: found.to ?? '', brand: await readBrand(db, media, orgId) };
}

/** Suppresses the address of a delivery on its channel, and returns how the page of its org looks. Idempotent. */
export async function unsubscribe(
  db: Db,
  media: MediaLinks,
  { orgId, deliveryId }: LinkedDelivery,
): Promise<PageBrand> {
  const brand = await readBrand(db, media, orgId);
  await inTransaction(db, async (trx) => {
    await holdMerges(trx, orgId);
    await insertUnsubscribe(trx, orgId, deliveryId);
  });
  return brand;
}
