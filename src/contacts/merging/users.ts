import type { ContactPart } from './parts.port.ts';
import { countReferences, moveReferences } from './references.ts';

const TABLES = ['channel_users', 'whatsapp_users'].map((table) => ({ table, column: 'contact_id' }));

/** What a merge moves of this domain: by which ids channels name the person. */
export const channelUsersOfContacts: ContactPart = {
  async count(db, orgId, { fromId: id }, limit) {
    let channel_users = 0;
    for (const table of TABLES) channel_users += await countReferences(db, orgId, table, { id, limit });
    return { channel_users };
  },
  async move(trx, orgId, pair) {
    let channel_users = 0;
    for (const table of TABLES) channel_users += await moveReferences(trx, orgId, table, pair);
    return { channel_users };
  },
};
