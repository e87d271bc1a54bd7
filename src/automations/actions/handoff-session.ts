import { z } from 'zod';
import { HandOffSession } from '../../conversations/sessions/actions.schema.ts';
import { handOff } from '../../conversations/sessions/actions.service.ts';
import { HandoffAnswer } from '../../conversations/sessions/schema.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';

export const handoffSession = localAction({
  type: 'handoff-session',
  title: 'Hand a session off',
  description:
    'Hands the session to people, and to the ticketing system where one is connected, which may take longer.',
  input: z.strictObject({ session_id: Id, reason: HandOffSession.shape.reason }),
  output: z.object({ handoff: HandoffAnswer }),
  apply: async (trx, _deps, { orgId }, { session_id, reason }) => ({
    handoff: await handOff(trx, orgId, session_id, { reason: reason ?? null }),
  }),
});
