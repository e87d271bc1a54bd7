import type { Db } from '../../db/connect.ts';
import { findAiInstructions } from '../../orgs/service.ts';
import { listInstructions } from '../training/service.ts';
import { findPassages, type SemanticSearch } from './passage-search.service.ts';
import type { SearchKnowledge } from './schema.ts';

const includesOrUnset = <Value>(values: Value[] | undefined, value: Value): boolean =>
  values === undefined || values.length === 0 || values.includes(value);

/** Returns the best passages of the org's knowledge for a question, and the instructions always given to the AI. */
export async function searchKnowledge(db: Db, semantics: SemanticSearch, orgId: string, search: SearchKnowledge) {
  const { visibility, sourceTypes, dataSources } = search;
  const hasInstructions =
    includesOrUnset(visibility, 'internal') &&
    includesOrUnset(sourceTypes, 'custom_training') &&
    includesOrUnset(dataSources, 'ai_instructions');
  return {
    results: await findPassages(db, semantics, orgId, search),
    instructions: hasInstructions
      ? [...(await listProfile(db, orgId)), ...(await listInstructions(db, orgId, search))]
      : [],
  };
}

/** Returns how the org, or else its partner, wants the AI to be, in the form of an instruction. */
async function listProfile(db: Db, orgId: string) {
  const content = await findAiInstructions(db, orgId);
  return content === null || content.trim() === '' ? [] : [{ id: orgId, title: 'AI profile', content }];
}
