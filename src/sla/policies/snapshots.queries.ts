import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { selectPolicies } from './shared.queries.ts';

/** Returns the SLA policies with these ids. */
export const listPoliciesById = (db: Db, orgId: string, ids: string[]) =>
  selectPolicies(db, orgId).where('id', '=', sql<string>`any(${ids}::uuid[])`).execute();
