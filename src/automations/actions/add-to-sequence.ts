import { z } from 'zod';
import { currentContactId } from '../../contacts/merging/service.ts';
import { Id } from '../../schemas/parts.ts';
import { enrollContact } from '../../sequences/enrollment/membership.service.ts';
import { SequenceParams } from '../../sequences/schema.ts';
import { localAction } from './action.ts';

export const addToSequence = localAction({
  type: 'add-to-sequence',
  title: 'Add to a sequence',
  description: 'Enrolls a contact in a continuous sequence. One who was enrolled before keeps that enrollment.',
  input: z.strictObject({ sequence_id: SequenceParams.shape.id, contact_id: Id }),
  output: z.object({ enrollment_id: Id }),
  apply: async (trx, _deps, { orgId }, { sequence_id, contact_id }) => ({
    enrollment_id: await enrollContact(trx, orgId, sequence_id, await currentContactId(trx, orgId, contact_id)),
  }),
});
