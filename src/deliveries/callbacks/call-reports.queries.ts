import type { Db } from '../../db/connect.ts';

/** Finds the call of a provider's report, by our id if the report carries it, else by the provider's id. */
export const findReportedCall = (
  db: Db,
  orgId: string,
  { provider, providerId, deliveryId }: { provider: string; providerId: string; deliveryId: string | undefined },
) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'contact_id', 'to', 'depth'])
    .where('org_id', '=', orgId)
    .$call((query) =>
      deliveryId === undefined
        ? query.where('provider', '=', provider).where('provider_id', '=', providerId)
        : query.where('id', '=', deliveryId),
    )
    .executeTakeFirst();
