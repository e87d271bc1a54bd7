import { z } from 'zod';
import { currentContactId } from '../../contacts/merging/service.ts';
import { sealChange } from '../../contacts/saving/sealed-overrides.rules.ts';
import { updateContact as update } from '../../contacts/saving/service.ts';
import { Contact, ContactFields } from '../../contacts/schema.ts';
import { getContact } from '../../contacts/service.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';

export const updateContact = localAction({
  type: 'update-contact',
  title: 'Change a contact',
  description: 'Absent fields stay; custom_data merges by key, null removes one.',
  input: z.strictObject({ contact_id: Id, fields: ContactFields.strict() }),
  output: z.object({ contact: Contact }),
  async apply(trx, { secrets }, { orgId }, { contact_id, fields }) {
    const id = await currentContactId(trx, orgId, contact_id);
    await update(trx, orgId, id, sealChange(secrets, orgId, fields));
    return { contact: z.encode(Contact, await getContact(trx, orgId, id)) };
  },
});
