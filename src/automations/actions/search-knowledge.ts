import { FoundKnowledge, SearchKnowledge } from '../../knowledge/search/schema.ts';
import { searchKnowledge as search } from '../../knowledge/search/service.ts';
import { remoteAction } from './action.ts';

export const searchKnowledge = remoteAction({
  type: 'search-knowledge',
  title: 'Search the knowledge base',
  description: 'As POST /training/search: finds the knowledge of the org relevant to a question.',
  input: SearchKnowledge.strict(),
  output: FoundKnowledge,
  call: ({ db, semantics }, { orgId }, input) => search(db, semantics, orgId, input),
});
