import { z } from 'zod';
import { AssignSession } from '../../conversations/sessions/actions.schema.ts';
import { applySessionUpdate, assignSession } from '../../conversations/sessions/actions.service.ts';
import { UpdateSession } from '../../conversations/sessions/schema.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';
import { SessionOutput, sessionOutput } from './outputs.ts';

const { status, custom_data } = UpdateSession.shape;
const { team_id, assignee_id } = AssignSession.shape;

export const updateSession = localAction({
  type: 'update-session',
  title: 'Change a session',
  description:
    'Changes its status, custom data and assignment. A team without an assignee picks one by its strategy. Without changes the output is the session as it is.',
  input: z.strictObject({ session_id: Id, status, team_id, assignee_id, custom_data }),
  output: SessionOutput,
  async apply(trx, _deps, { orgId }, { session_id: id, status, custom_data, team_id, assignee_id }) {
    if (status !== undefined || custom_data !== undefined)
      await applySessionUpdate(trx, orgId, id, { status, custom_data, reflect_status_change_for_integration: true });
    if (team_id !== undefined || assignee_id !== undefined)
      await assignSession(trx, orgId, id, { team_id, assignee_id });
    return sessionOutput(trx, orgId, id);
  },
});
