import { z } from 'zod';
import { sendMessage as send } from '../../conversations/messages/service.ts';
import { Id } from '../../http/schemas.ts';
import { localAction } from './action.ts';

const AUTHOR_NAME = 'Workflow';
const MAX_TEXT = 50_000;

export const sendMessage = localAction({
  type: 'send-message',
  title: 'Send a message',
  description:
    'Sends a message in a session as an agent named Workflow. Sessions by e-mail, SMS or WhatsApp get it on that channel.',
  input: z.strictObject({
    session_id: Id,
    text: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .refine((text) => text.trim() !== '', 'must not be blank'),
  }),
  output: z.object({ message_id: Id }),
  async apply(trx, { sending }, { orgId }, { session_id, text }) {
    const { id } = await send(trx, sending, orgId, session_id, {
      sender: 'agent',
      agent: { name: AUTHOR_NAME },
      message: { type: 'text', text, attachments: [] },
      should_take_over_session_from_ai: false,
      files: [],
    });
    return { message_id: id };
  },
});
