import { z } from 'zod';
import { AddNote } from '../../conversations/sessions/actions.schema.ts';
import { addNote as add } from '../../conversations/sessions/actions.service.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';

export const addNote = localAction({
  type: 'add-note',
  title: 'Add a note',
  description: 'Adds an internal note, visible only to the team.',
  input: z.strictObject({ session_id: Id, text: AddNote.shape.text }),
  output: z.object({ message_id: Id }),
  apply: async (trx, _deps, { orgId }, { session_id, text }) => ({
    message_id: await add(trx, orgId, session_id, { text, authorId: null }),
  }),
});
