import { partOf } from './references.ts';

/** What a merge moves of this domain: by which ids channels name the person. */
export const channelUsersOfContacts = partOf({
  channel_users: ['channel_users', 'whatsapp_users'].map((table) => ({ table, column: 'contact_id' })),
});
