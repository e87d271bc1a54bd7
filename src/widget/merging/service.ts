import type { ContactPart } from '../../contacts/merging/parts.port.ts';
import { countReferences } from '../../contacts/merging/references.ts';
import { moveVisitors, moveVotes } from './queries.ts';

/** What a merge of contacts moves of this domain. */
export const visitorsOfContacts: ContactPart = {
  count: async (db, orgId, { fromId: id }, limit) => ({
    visitors:
      (await countReferences(db, orgId, { table: 'widget_visitors', column: 'contact_id' }, { id, limit })) +
      (await countReferences(db, orgId, { table: 'widget_visitors', column: 'merged_contact_id' }, { id, limit })),
    votes: await countReferences(db, orgId, { table: 'widget_votes', column: 'contact_id' }, { id, limit }),
  }),
  move: async (trx, orgId, pair) => ({
    visitors: await moveVisitors(trx, orgId, pair),
    votes: await moveVotes(trx, orgId, pair),
  }),
};
