import type { Db, Trx } from '../../db/connect.ts';
import type { UnitedOptOut } from './rules.ts';

/** Two contacts of one person. */
export interface MergedPair {
  /** The contact that is absorbed. */
  fromId: string;
  /** The contact that stays. */
  toId: string;
}

/** What another domain has of contacts. It is given as a dependency, because that domain itself uses contacts. */
export interface ContactPart {
  /** Counts the rows that a merge would move, by their kind, up to about `limit`. */
  count(db: Db, orgId: string, pair: MergedPair, limit: number): Promise<Record<string, number>>;
  /**
   * Makes everything of one contact the other one's, and returns the number of rows by their kind. Both contacts are
   * locked: nobody refers to them meanwhile.
   */
  move(trx: Trx, orgId: string, pair: MergedPair): Promise<Record<string, number>>;
}

/** All addresses of two contacts. */
export interface PersonAddresses {
  emails: string[];
  phones: string[];
}

/** What a merge needs of the domains above contacts. */
export interface ContactMergePort {
  parts: ContactPart[];
  /** Lists the opt-outs that some of the addresses have and others lack. Bounces say nothing of other addresses. */
  listMissingOptOuts(db: Db, orgId: string, addresses: PersonAddresses): Promise<(UnitedOptOut & { reason: string })[]>;
  /** Suppresses addresses. */
  suppress(trx: Trx, orgId: string, optOuts: (UnitedOptOut & { reason: string })[]): Promise<void>;
}
