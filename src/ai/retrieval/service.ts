import type { Db } from '../../db/connect.ts';
import { findPassages, type SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { Passage } from '../answers/validation.rules.ts';

const MAX_PASSAGES = 12;
const PASSAGES_PER_QUERY = 8;
/** Questions are short. Characters beyond this number would only make the search slower. */
const MAX_QUERY_CHARACTERS = 1_000;
/** The source of the material a model always gets. */
const INSTRUCTIONS = 'ai_instructions';

interface Retrieval {
  queries: string[];
  channel: SessionChannel;
  /** The segments of the contact. */
  segments: string[];
}

/**
 * Returns the passages of the org's knowledge for some queries, the best of each first, with the permitted uses of
 * each. Instructions are left out, and take no place of another passage.
 */
export async function retrievePassages(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { queries, channel, segments }: Retrieval,
): Promise<Passage[]> {
  const asked = [...new Set(queries.map((query) => query.slice(0, MAX_QUERY_CHARACTERS).trim()))];
  const search = { limit: PASSAGES_PER_QUERY, explain: false, exceptSources: [INSTRUCTIONS], channel, segments };
  const found = await Promise.all(
    asked.map((query) => (query.length < 2 ? [] : findPassages(db, semantics, orgId, { ...search, query }))),
  );
  const ranked = Array.from({ length: PASSAGES_PER_QUERY }, (_, rank) =>
    found.map((passages) => passages[rank]),
  ).flat();
  const passages = new Map(
    ranked.flatMap((passage) =>
      passage === undefined ? [] : [[`${passage.id} ${passage.citation.chunk}`, passage] as const],
    ),
  );
  return [...passages.values()].slice(0, MAX_PASSAGES).map((passage, nth) => ({
    number: nth + 1,
    use:
      passage.visibility === 'public' ? 'public' : passage.source_type === 'custom_training' ? 'training' : 'internal',
    item_id: passage.id,
    chunk: passage.citation.chunk,
    url: passage.url,
    title: passage.title,
    heading: passage.citation.heading,
    content: passage.content,
    score: passage.score,
    start: passage.citation.start,
    hash: passage.citation.hash,
  }));
}
