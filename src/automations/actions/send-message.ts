import { z } from 'zod';
import { sendWorkflowMessage } from '../../conversations/messages/automatic-messages.service.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';

const MAX_TEXT = 50_000;

export const sendMessage = localAction({
  type: 'send-message',
  title: 'Send a message',
  description:
    'Sends an automatic message in a session. Sessions by e-mail, SMS or WhatsApp get it on that channel. It does not count as a reply of an agent.',
  input: z.strictObject({
    session_id: Id,
    text: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .refine((text) => text.trim() !== '', 'must not be blank'),
  }),
  output: z.object({ message_id: Id }),
  async apply(trx, { sending }, { orgId, runId }, { session_id: sessionId, text }) {
    return { message_id: await sendWorkflowMessage(trx, sending, orgId, { sessionId, runId, text }) };
  },
});
