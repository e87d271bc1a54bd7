import type { Db } from '../../db/connect.ts';
import { type Issue, invalid } from '../../errors.ts';
import { findAiInstructions } from '../../orgs/service.ts';
import { listInstructions } from '../training/service.ts';
import { findPassages, type SemanticSearch } from './passage-search.service.ts';
import { listIntegrationSources } from './queries.ts';
import { type SearchKnowledge, SOURCES } from './schema.ts';

const MAX_LISTED_SOURCES = 50;
const NO_INTEGRATION =
  'no integration brings knowledge: the types with knowledge are custom_training, help_center, website';

const includesOrUnset = <Value>(values: Value[] | undefined, value: Value): boolean =>
  values === undefined || values.length === 0 || values.includes(value);

/**
 * Returns the best passages of the org's knowledge for a question, and the instructions always given to the AI. Throws
 * invalid for sources that the org does not have.
 */
export async function searchKnowledge(db: Db, semantics: SemanticSearch, orgId: string, search: SearchKnowledge) {
  await assertSources(db, orgId, search);
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

/** Throws invalid, with the existing sources, if the search names others: it would find nothing without a word. */
async function assertSources(db: Db, orgId: string, { sourceTypes = [], dataSources = [] }: SearchKnowledge) {
  const asksIntegrationsAlone = sourceTypes.length > 0 && sourceTypes.every((type) => type === 'integration');
  if (!asksIntegrationsAlone && dataSources.every((name) => SOURCES.includes(name))) return;
  const added = await listIntegrationSources(db, orgId);
  const sources = [...SOURCES, ...added];
  const issues: Issue[] = dataSources.flatMap((name, n) =>
    sources.includes(name)
      ? []
      : [
          {
            path: `body.dataSources.${n}`,
            message: `no source has this name: the sources are ${sources.slice(0, MAX_LISTED_SOURCES).join(', ')}`,
          },
        ],
  );
  if (asksIntegrationsAlone && added.length === 0) issues.push({ path: 'body.sourceTypes', message: NO_INTEGRATION });
  const [first] = issues;
  if (first !== undefined) throw invalid(`The request is not valid: ${first.path}: ${first.message}`, issues);
}

/** Returns how the org, or else its partner, wants the AI to be, in the form of an instruction. */
async function listProfile(db: Db, orgId: string) {
  const content = await findAiInstructions(db, orgId);
  return content === null || content.trim() === '' ? [] : [{ id: orgId, title: 'AI profile', content }];
}
