import { partOf } from '../contacts/merging/references.ts';

/** What a merge of contacts moves of this domain. */
export const casesOfContacts = partOf({ eval_cases: [{ table: 'ai_eval_cases', column: 'contact_id' }] });
