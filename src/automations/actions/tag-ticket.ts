import { z } from 'zod';
import { SessionTags } from '../../conversations/sessions/actions.schema.ts';
import { addTags } from '../../conversations/sessions/actions.service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';

export const tagTicket = localAction({
  type: 'tag-ticket',
  title: 'Tag a session',
  description: 'Puts tags of the org on a session.',
  input: z.strictObject({ session_id: Id, tags: SessionTags.shape.tags }),
  output: z.object({ tags: z.array(z.string()).describe('All that the session has now.') }),
  async apply(trx, _deps, { orgId }, { session_id, tags }) {
    await addTags(trx, orgId, session_id, tags);
    return { tags: (await getSession(trx, orgId, session_id)).tags };
  },
});
