import { partOf } from '../contacts/merging/references.ts';

/** What a merge of contacts moves of this domain. The messages of a session belong to the session. */
export const sessionsOfContacts = partOf({ sessions: [{ table: 'sessions', column: 'contact_id' }] });
