import { getShownContacts } from '../../contacts/snapshots.service.ts';
import { headOf, type Rendered, type Renderer } from './rendering.ts';

/** Renders contacts that were saved. */
const savedContact = <Type extends 'contact-created' | 'contact-updated'>(
  type: 'contact.created' | 'contact.updated',
): Renderer<Type> => ({
  makes: [type],
  async render({ trx, orgId, publicUrl }, events) {
    const contacts = await getShownContacts(
      trx,
      orgId,
      events.map(({ subject_id }) => subject_id),
    );
    return events.flatMap((event): Rendered[] => {
      const contact = contacts.get(event.subject_id);
      if (contact === undefined) return [];
      const thin = { contact_id: contact.id, url: `${publicUrl}/contacts/${contact.id}` };
      return [{ ...headOf(event), sessionId: null, type, full: { contact }, thin }];
    });
  },
});

export const contactCreated = savedContact<'contact-created'>('contact.created');
export const contactUpdated = savedContact<'contact-updated'>('contact.updated');

export const contactDeleted: Renderer<'contact-deleted'> = {
  makes: ['contact.deleted'],
  render: async ({ publicUrl }, events) =>
    events.map((event) => {
      const full = { contact_id: event.subject_id };
      const thin = { ...full, url: `${publicUrl}/contacts/${event.subject_id}` };
      return { ...headOf(event), sessionId: null, type: 'contact.deleted', full, thin };
    }),
};

export const contactMerged: Renderer<'contact-merged'> = {
  makes: ['contact.merged'],
  async render({ trx, orgId, publicUrl }, events) {
    const contacts = await getShownContacts(
      trx,
      orgId,
      events.map(({ subject_id }) => subject_id),
    );
    return events.flatMap((event): Rendered[] => {
      const contact = contacts.get(event.subject_id);
      if (contact === undefined) return [];
      const { absorbed_id } = event.payload;
      const thin = { contact_id: contact.id, absorbed_id, url: `${publicUrl}/contacts/${contact.id}` };
      return [{ ...headOf(event), sessionId: null, type: 'contact.merged', full: { contact, absorbed_id }, thin }];
    });
  },
};
