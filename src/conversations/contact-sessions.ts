import type { ContactPart } from '../contacts/merging/parts.port.ts';
import { countReferences, moveReferences } from '../contacts/merging/references.ts';

const SESSIONS = { table: 'sessions', column: 'contact_id' };

/** What a merge of contacts moves of this domain. The messages of a session belong to the session. */
export const sessionsOfContacts: ContactPart = {
  count: async (db, orgId, { fromId: id }, limit) => ({
    sessions: await countReferences(db, orgId, SESSIONS, { id, limit }),
  }),
  move: async (trx, orgId, pair) => ({ sessions: await moveReferences(trx, orgId, SESSIONS, pair) }),
};
