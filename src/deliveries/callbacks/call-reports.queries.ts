import type { Db } from '../../db/connect.ts';

/** A call that a provider reports about. */
export interface ReportedCall {
  id: string;
  contact_id: string | null;
  direction: 'inbound' | 'outbound';
  /** Undefined if we do not know it. */
  from: string | undefined;
  to: string | null;
  depth: number;
}

interface ReportedCallRef {
  provider: string;
  providerId: string;
  deliveryId: string | undefined;
}

/** Finds the call of a provider's report, by our id if the report carries it, else by the provider's id. */
export const findReportedCall = async (
  db: Db,
  orgId: string,
  ref: ReportedCallRef,
): Promise<ReportedCall | undefined> => (await findMadeCall(db, orgId, ref)) ?? findInboundCall(db, orgId, ref);

async function findMadeCall(
  db: Db,
  orgId: string,
  { provider, providerId, deliveryId }: ReportedCallRef,
): Promise<ReportedCall | undefined> {
  const made = await db
    .selectFrom('deliveries')
    .select(['id', 'contact_id', 'to', 'depth'])
    .where('org_id', '=', orgId)
    .$call((query) =>
      deliveryId === undefined
        ? query.where('provider', '=', provider).where('provider_id', '=', providerId)
        : query.where('id', '=', deliveryId),
    )
    .executeTakeFirst();
  return made && { ...made, direction: 'outbound', from: undefined };
}

async function findInboundCall(
  db: Db,
  orgId: string,
  { provider, providerId }: ReportedCallRef,
): Promise<ReportedCall | undefined> {
  const received = await db
    .selectFrom('inbound_messages')
    .select(['id', 'contact_id', 'from', 'to'])
    .where('org_id', '=', orgId)
    .where('provider', '=', provider)
    .where('provider_id', '=', providerId)
    .where('channel', '=', 'voice')
    .executeTakeFirst();
  return received && { ...received, direction: 'inbound', depth: 0 };
}
