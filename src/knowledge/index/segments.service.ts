import type { Db } from '../../db/connect.ts';
import { insertChunks, insertPostings, type NewChunk, type PlacedChunk } from './indexing.queries.ts';
import { countLexemes, type WeighedText } from './lexemes.service.ts';
import { packHit } from './postings.rules.ts';
import { learnSpelling } from './spelling.service.ts';

export interface AnalysedChunk extends Omit<NewChunk, 'length' | 'lexemes'> {
  language: string | null;
  analyse(): WeighedText[];
}

/** Writes chunks with their postings and what the org learns from them. */
export async function writeSegment(trx: Db, orgId: string, chunks: AnalysedChunk[]): Promise<PlacedChunk[]> {
  const { chunks: counted, lexemes } = await countLexemes(
    trx,
    chunks.map(({ language, analyse }) => ({ language, texts: analyse() })),
  );
  const placed = await insertChunks(
    trx,
    orgId,
    chunks.map(({ language: _language, analyse: _analyse, ...chunk }, nth) => ({
      ...chunk,
      length: counted[nth]?.length ?? 0,
      lexemes: counted[nth]?.postings.map(({ lexeme }) => lexeme) ?? [],
    })),
  );
  const segment = placed[0]?.segment ?? 0;
  const idOf = new Map(placed.map((chunk) => [keyOf(chunk), chunk.id]));
  for (const [nth, { postings, frequencies, length }] of counted.entries()) {
    const offset = (idOf.get(keyOf(chunks[nth] as AnalysedChunk)) ?? segment) - segment;
    for (const [place, { hits }] of postings.entries())
      hits.push(packHit({ offset, frequency: frequencies[place] ?? 0, length }));
  }
  const postings = [...new Set(counted.flatMap((chunk) => chunk.postings))];
  await insertPostings(trx, orgId, segment, postings);
  await learnSpelling(trx, orgId, lexemes);
  return placed;
}

const keyOf = ({ item_id, position }: { item_id: string; position: number }) => `${item_id} ${position}`;
