import type { Db } from '../../db/connect.ts';
import type { Analysed } from './analysis.rules.ts';
import { insertChunks, insertPostings, type NewChunk } from './indexing.queries.ts';
import { countLexemes } from './lexemes.service.ts';
import { packHit } from './postings.rules.ts';
import { learnSpelling } from './spelling.service.ts';

/** A text that a chunk is found by, and how much each of its words counts. */
export type WeighedText = Analysed & { weight: number };

export interface AnalysedChunk extends Omit<NewChunk, 'length' | 'lexemes'> {
  language: string | null;
  analyse(): WeighedText[];
}

interface Found {
  chunk: NewChunk;
  frequencies: Map<string, number>;
}

/** Writes chunks with their postings and what the org learns from them. */
export async function writeSegment(trx: Db, orgId: string, chunks: AnalysedChunk[]): Promise<void> {
  const parts = chunks.map(({ language, analyse }) => ({ language, texts: analyse() }));
  const counts = await countLexemes(trx, parts);
  const lexemes = new Set(counts.flatMap((frequencies) => [...frequencies.keys()]));
  const found = chunks.map(({ language: _language, analyse: _analyse, ...chunk }, nth) => {
    const frequencies = withGrams(counts[nth] ?? new Map(), parts[nth]?.texts ?? []);
    const length = [...frequencies.values()].reduce((sum, frequency) => sum + frequency, 0);
    return { chunk: { ...chunk, length, lexemes: [...frequencies.keys()] }, frequencies };
  });
  await post(trx, orgId, found);
  await learnSpelling(trx, orgId, lexemes);
}

function withGrams(frequencies: Map<string, number>, texts: WeighedText[]): Map<string, number> {
  for (const { grams, weight } of texts) {
    for (const gram of grams) frequencies.set(gram, (frequencies.get(gram) ?? 0) + weight);
  }
  return frequencies;
}

async function post(trx: Db, orgId: string, found: Found[]): Promise<void> {
  const keyOf = ({ item_id, position }: { item_id: string; position: number }) => `${item_id} ${position}`;
  const rows = await insertChunks(
    trx,
    orgId,
    found.map(({ chunk }) => chunk),
  );
  const segment = rows[0]?.segment ?? 0;
  const idOf = new Map(rows.map((row) => [keyOf(row), row.id]));
  const hitsOf = new Map<string, number[]>();
  for (const { chunk, frequencies } of found) {
    const offset = (idOf.get(keyOf(chunk)) ?? segment) - segment;
    for (const [lexeme, frequency] of frequencies) {
      const hit = packHit({ offset, frequency, length: chunk.length });
      const hits = hitsOf.get(lexeme);
      if (hits === undefined) hitsOf.set(lexeme, [hit]);
      else hits.push(hit);
    }
  }
  const postings = [...hitsOf].map(([lexeme, hits]) => ({ lexeme, hits }));
  await insertPostings(trx, orgId, segment, postings);
}
