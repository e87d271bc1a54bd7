import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { DELETE_MEMBER, type DeletedMember } from './contract.ts';

export { listDeletedMembers } from './queries.ts';

/** Returns the command to continue the deletion of a member. */
export const continueMemberDeletion = (ref: DeletedMember): Command =>
  signalWithStart(DELETE_MEMBER, ref, WAKE, {
    subjectId: ref.orgId,
    summary: `Delete member ${ref.userId} (repaired)`,
  });
