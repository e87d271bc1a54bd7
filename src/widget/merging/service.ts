import type { ContactPart } from '../../contacts/merging/parts.port.ts';
import { countOf, moveReferences } from '../../contacts/merging/references.ts';
import { deleteEarlierVotes, moveVisitors } from './queries.ts';

const PRESENT = { table: 'widget_visitors', column: 'contact_id' };
const EARLIER = { table: 'widget_visitors', column: 'merged_contact_id' };
const VOTES = { table: 'widget_votes', column: 'contact_id' };

/** What a merge of contacts moves of this domain. Of two votes on one message, the later one stays. */
export const visitorsOfContacts: ContactPart = {
  count: countOf({ visitors: [PRESENT, EARLIER], votes: [VOTES] }),
  async move(trx, orgId, pair) {
    const present = await moveVisitors(trx, orgId, pair);
    const earlier = await moveReferences(trx, orgId, EARLIER, pair);
    await deleteEarlierVotes(trx, orgId, pair);
    return { visitors: present + earlier, votes: await moveReferences(trx, orgId, VOTES, pair) };
  },
};
