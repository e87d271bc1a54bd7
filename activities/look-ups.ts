import type { Db } from '../src/db/connect.ts';
import type { LookUpInput, LookUpProgress } from '../src/deliveries/contract.ts';
import { lookUpSends } from '../src/deliveries/look-ups.service.ts';
import type { Outlets } from '../src/deliveries/outlet.ts';

export interface LookUpActivityDeps {
  db: Db;
  outlets: Outlets;
}

export type LookUpActivities = ReturnType<typeof createLookUpActivities>;

export const createLookUpActivities = ({ db, outlets }: LookUpActivityDeps) => ({
  /** Asks providers once about the org's sends whose answer was lost. Asking twice does no harm. */
  reconcileBatch: ({ orgId }: LookUpInput): Promise<LookUpProgress> => lookUpSends(db, outlets, orgId),
});
