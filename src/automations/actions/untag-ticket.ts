import { z } from 'zod';
import { SessionTags } from '../../conversations/sessions/actions.schema.ts';
import { removeTags } from '../../conversations/sessions/actions.service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';

export const untagTicket = localAction({
  type: 'untag-ticket',
  title: 'Take tags off a session',
  description: 'Tags that it does not have change nothing.',
  input: z.strictObject({ session_id: Id, tags: SessionTags.shape.tags }),
  output: z.object({ tags: z.array(z.string()).describe('All that the session has now.') }),
  async apply(trx, _deps, { orgId }, { session_id, tags }) {
    for (const tag of new Set(tags)) await removeTags(trx, orgId, session_id, tag);
    return { tags: (await getSession(trx, orgId, session_id)).tags };
  },
});
