import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import type { DeletedTeam } from '../src/desk/teams/contract.ts';
import { deleteTeamBatch } from '../src/desk/teams/service.ts';
import type { DeletedMember } from '../src/orgs/members/contract.ts';
import { deleteMemberBatch } from '../src/orgs/members/service.ts';

export interface DeletionActivityDeps {
  db: Db;
  /** Aborted when the worker shuts down: a batch then ends after its transaction. */
  stopping: AbortSignal;
}

export type DeletionActivities = ReturnType<typeof createDeletionActivities>;

export const createDeletionActivities = ({ db, stopping }: DeletionActivityDeps) => {
  const isStopped = () => stopping.aborted || Context.current().cancellationSignal.aborted;
  return {
    /** Clears sessions of a deleted member, and deletes it at last. A second run continues after the first. */
    deleteMemberBatch: (member: DeletedMember): Promise<boolean> => deleteMemberBatch(db, member, isStopped),

    /** Clears sessions of a deleted team, and deletes it at last. A second run continues after the first. */
    deleteTeamBatch: (team: DeletedTeam): Promise<boolean> => deleteTeamBatch(db, team, isStopped),
  };
};
