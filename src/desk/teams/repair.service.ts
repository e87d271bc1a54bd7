import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { DELETE_TEAM, type DeletedTeam } from './contract.ts';

export { listDeletedTeams } from './queries.ts';

/** Returns the command to continue the deletion of a team. */
export const continueTeamDeletion = (ref: DeletedTeam): Command =>
  signalWithStart(DELETE_TEAM, ref, WAKE, { subjectId: ref.teamId, summary: 'Delete a team (repaired)' });
