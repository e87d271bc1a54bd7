import { elementAt } from '../../collections/checked-access.ts';
import type { Trx } from '../../db/connect.ts';
import { pipelined } from '../../db/connections/pipeline.ts';
import { type CountedWords, countLexemes, type LexemeCounts } from './lexemes.service.ts';
import { packHit } from './postings.rules.ts';
import { insertChunks, insertPostings, type NewChunk, type NewPostings, type PlacedChunk } from './queries.ts';
import { insertSpellings, readKnownWords } from './spelling.service.ts';

/** A chunk prepared for indexing. */
export interface PreparedChunk extends Omit<NewChunk, 'length' | 'lexemes'> {
  language: string | null;
  countWords(): CountedWords;
}

/** Writes chunks with their postings and the org's new words. */
export async function writeSegment(trx: Trx, orgId: string, chunks: PreparedChunk[]): Promise<PlacedChunk[]> {
  const counted = await countLexemes(
    trx,
    chunks.map(({ language, countWords }) => ({ language, ...countWords() })),
  );
  const { lexemes } = counted;
  const newChunks = chunks.map((chunk, nth) => {
    const { numbers, length } = elementAt(counted.chunks, nth);
    return { ...chunk, length, lexemes: numbers };
  });
  const pipeline = await pipelined(trx);
  const [placed, known] = await Promise.all([
    insertChunks(pipeline, orgId, lexemes, newChunks),
    readKnownWords(pipeline, orgId),
  ]);
  const segment = placed[0]?.segment ?? 0;
  const idOf = new Map(placed.map((chunk) => [chunkKeyOf(chunk), chunk.id]));
  const offsets = chunks.map((chunk) => (idOf.get(chunkKeyOf(chunk)) ?? segment) - segment);
  await insertSpellings(trx, orgId, known, lexemes);
  await insertPostings(trx, orgId, segment, postingsOf(counted, offsets)); // takes longest: the caller goes on meanwhile
  return placed;
}

/** Groups the hits by lexeme. */
function postingsOf({ lexemes, chunks }: LexemeCounts, offsets: number[]): NewPostings {
  const counts = new Uint32Array(lexemes.length);
  for (const { numbers } of chunks) for (const number of numbers) counts[number] = (counts[number] ?? 0) + 1;
  let sum = 0;
  const begins = counts.map((count) => {
    sum += count;
    return sum - count;
  });
  const ends = begins.slice(); // each advances as its hits are placed
  const hits = new Float64Array(sum);
  for (const [nth, { numbers, frequencies, length }] of chunks.entries()) {
    const offset = elementAt(offsets, nth);
    for (let place = 0; place < numbers.length; place++) {
      const number = numbers[place] ?? 0;
      const at = ends[number] ?? 0;
      hits[at] = packHit({ offset, frequency: frequencies[place] ?? 0, length });
      ends[number] = at + 1;
    }
  }
  return { lexemes, begins, ends, hits };
}

const chunkKeyOf = ({ item_id, position }: { item_id: string; position: number }) => `${item_id} ${position}`;
