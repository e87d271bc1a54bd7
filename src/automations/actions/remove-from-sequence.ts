import { z } from 'zod';
import { currentContactId } from '../../contacts/merging/service.ts';
import { Id } from '../../schemas/parts.ts';
import { removeContact } from '../../sequences/enrollment/membership.service.ts';
import { SequenceParams } from '../../sequences/schema.ts';
import { localAction } from './action.ts';

export const removeFromSequence = localAction({
  type: 'remove-from-sequence',
  title: 'Remove from a sequence',
  description: 'Ends a contact’s enrollment: unsent steps are not sent. An ended enrollment stays as it is.',
  input: z.strictObject({ sequence_id: SequenceParams.shape.id, contact_id: Id }),
  output: z.object({ enrollment_id: Id.nullable().describe('null: the contact was never enrolled.') }),
  apply: async (trx, _deps, { orgId }, { sequence_id, contact_id }) => ({
    enrollment_id: await removeContact(trx, orgId, sequence_id, await currentContactId(trx, orgId, contact_id)),
  }),
});
