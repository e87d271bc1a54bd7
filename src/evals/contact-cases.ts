import type { ContactPart } from '../contacts/merging/parts.port.ts';
import { countReferences, moveReferences } from '../contacts/merging/references.ts';

const CASES = { table: 'ai_eval_cases', column: 'contact_id' };

/** What a merge of contacts moves of this domain. */
export const casesOfContacts: ContactPart = {
  count: async (db, orgId, { fromId: id }, limit) => ({
    eval_cases: await countReferences(db, orgId, CASES, { id, limit }),
  }),
  move: async (trx, orgId, pair) => ({ eval_cases: await moveReferences(trx, orgId, CASES, pair) }),
};
