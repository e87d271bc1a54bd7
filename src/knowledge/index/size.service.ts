import type { Db } from '../../db/connect.ts';
import { type IndexChange, type IndexSize, selectIndexChanges, selectIndexSize } from './size.queries.ts';

export type { IndexSize } from './size.queries.ts';

/** Returns the size of an org's index. */
export const getIndexSize = (db: Db, orgId: string): Promise<IndexSize> => selectIndexSize(db, orgId);

/** Returns how many passages of each org were added and removed since its index had this size. */
export const measureIndexChanges = (db: Db, since: (IndexSize & { org_id: string })[]): Promise<IndexChange[]> =>
  selectIndexChanges(db, since);
