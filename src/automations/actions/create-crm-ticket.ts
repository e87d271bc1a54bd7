import { z } from 'zod';
import { getSession } from '../../conversations/sessions/service.ts';
import { Id } from '../../schemas/parts.ts';
import { remoteAction } from './action.ts';

const MAX_PROPERTIES = 100;

export const createCrmTicket = remoteAction({
  type: 'create-crm-ticket',
  title: 'Make a CRM ticket',
  description:
    'Creates the ticket of the session in the connected CRM. A session has one ticket: an existing one stays as it is. Properties unknown to the CRM’s tickets are left out.',
  input: z.strictObject({
    session_id: Id,
    properties: z
      .record(z.string().min(1).max(255), z.string().max(65_536))
      .refine((properties) => Object.keys(properties).length <= MAX_PROPERTIES, `must be at most ${MAX_PROPERTIES}`)
      .default({}),
  }),
  output: z.object({ ticket_id: z.string() }),
  async call({ db, createTicket }, { orgId }, { session_id, properties }) {
    await getSession(db, orgId, session_id);
    return { ticket_id: await createTicket({ orgId, sessionId: session_id }, properties) };
  },
});
