import type { Db } from '../../db/connect.ts';
import type { Scope } from '../../schemas/scopes.ts';
import type { JobAnswer } from './schema.ts';

/** A kind of jobs of a domain above: GET /jobs/{id} shows them to callers with its scope. */
export interface OtherJobs {
  scope: Scope & `${string}:read`;
  find(db: Db, orgId: string, id: string): Promise<JobAnswer | undefined>;
}
