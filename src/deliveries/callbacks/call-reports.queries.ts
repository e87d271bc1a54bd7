import type { Db } from '../../db/connect.ts';

/** The call that a provider speaks of, by our id where it says it, else by its own. */
export const findReportedCall = (
  db: Db,
  orgId: string,
  { provider, providerId, deliveryId }: { provider: string; providerId: string; deliveryId: string | undefined },
) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'contact_id', 'to'])
    .where('org_id', '=', orgId)
    .$if(deliveryId !== undefined, (query) => query.where('id', '=', deliveryId as string))
    .$if(deliveryId === undefined, (query) =>
      query.where('provider', '=', provider).where('provider_id', '=', providerId),
    )
    .executeTakeFirst();
