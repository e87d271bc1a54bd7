import { proxyActivities } from '@temporalio/workflow';
import type { DeletionActivities } from '../activities/deletions.ts';
import type { DeletedTeam } from '../src/desk/teams/contract.ts';
import type { DeletedMember } from '../src/orgs/members/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { SEND_BATCH } from './activity-options.ts';
import { untilUnchanged } from './signals.ts';

const { deleteMemberBatch, deleteTeamBatch } = proxyActivities<DeletionActivities>({
  ...SEND_BATCH,
  summary: 'remove the member or team from sessions',
});

/** Clears the sessions of a deleted member, and again if the member was added and deleted once more meanwhile. */
export async function deleteMember(member: DeletedMember): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    while (!(await deleteMemberBatch(member)));
  });
}

/** Clears the sessions of a deleted team, batch after batch, and then deletes the team. */
export async function deleteTeam(team: DeletedTeam): Promise<void> {
  while (!(await deleteTeamBatch(team)));
}
