import { createHash } from 'node:crypto';
import type { Db } from '../../db/connect.ts';
import { scoreOf } from './bm25.rules.ts';
import { bestQuote } from './citations.rules.ts';
import type { Similarities } from './confidence.rules.ts';
import { listPassages, listPostings, type PassageRef, type ScoredChunk, selectGonePassages } from './queries.ts';
import type { ResolvedQuery } from './query.service.ts';

/** What chunks are scored by. */
export interface ScoreBasis {
  /** The terms of the query. Undefined if no chunk matches. */
  asked: ResolvedQuery | undefined;
  /** The cosine similarity of chunks to the query. Empty without a model. */
  similarities: Similarities;
}

type ScoreParts = Awaited<ReturnType<typeof explainScores>>;

/** Returns the candidates in their order, each with its citation. */
export async function getPassages(
  db: Db,
  orgId: string,
  candidates: ScoredChunk[],
  { query, parts }: { query: string; parts: ScoreParts | undefined },
) {
  const ids = candidates.map(({ chunk_id }) => chunk_id);
  const byId = new Map((await listPassages(db, orgId, ids)).map((row) => [row.chunk_id, row]));
  return candidates.flatMap(({ chunk_id, score }) => {
    const row = byId.get(chunk_id);
    if (row === undefined) return []; // removed in the meantime
    const { chunk_id: _, position, start_offset, path, content: stored, ...item } = row;
    const content = stored.trim();
    const start = start_offset + stored.indexOf(content);
    const quote = bestQuote(content, query);
    const citation = {
      item_id: item.id,
      chunk: position,
      url: item.url,
      heading: path.at(-1) ?? item.title,
      path,
      start,
      end: start + content.length,
      hash: createHash('sha256').update(content).digest('hex'),
      quote: { text: quote.text, start: start + quote.start, end: start + quote.end },
    };
    const explained = parts === undefined ? {} : { score_parts: parts.get(chunk_id) };
    return [{ ...item, content, score, citation, ...explained }];
  });
}

/** Returns those of the passages that no longer stand in their item as they were. */
export const listGonePassages = (db: Db, orgId: string, passages: PassageRef[]): Promise<PassageRef[]> =>
  selectGonePassages(db, orgId, passages);

/** Returns the parts of each candidate's score. */
export async function explainScores(
  db: Db,
  orgId: string,
  candidates: ScoredChunk[],
  { asked, similarities }: ScoreBasis,
) {
  const byLexeme = new Map(asked?.terms.map((term) => [term.lexeme, term]));
  const ids = candidates.map(({ chunk_id }) => chunk_id);
  const postings = byLexeme.size === 0 ? [] : await listPostings(db, orgId, ids, [...byLexeme.keys()]);
  const parts = postings.flatMap(({ chunk_id, ...posting }) => {
    const term = byLexeme.get(posting.lexeme);
    if (term === undefined || asked === undefined) return [];
    const { weight, chunks, rarity } = term;
    return [{ chunk_id, part: { ...posting, weight, chunks, score: scoreOf(posting, rarity, asked.corpus) } }];
  });
  const byChunk = Map.groupBy(parts, ({ chunk_id }) => chunk_id);
  return new Map(
    ids.map((id) => {
      const lexemes = (byChunk.get(id) ?? []).map(({ part }) => part).sort((a, b) => b.score - a.score);
      const words = lexemes.reduce((sum, { score }) => sum + score, 0);
      return [id, { words, similarity: similarities.get(id) ?? null, lexemes }];
    }),
  );
}
