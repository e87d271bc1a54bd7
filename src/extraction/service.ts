import { availableParallelism } from 'node:os';
import type { SplitText } from '../knowledge/index/parts.rules.ts';
import { type SplitPart, splitHere } from '../knowledge/index/splitting.service.ts';
import { type ExtractedPage, ExtractionError, type Page } from './contract.ts';
import { createThreadSlots } from './thread-slots.ts';

/** A page, with the chunks of its text if it was split. */
export type ReadPage = ExtractedPage & { parts?: SplitPart[] };

export interface Extractor {
  /** Reads a page of HTML, plain text or PDF. Throws ExtractionError. */
  extract(input: Page): Promise<ReadPage>;
  /** Splits a text for the search index. */
  split(text: SplitText): Promise<SplitPart[]>;
  close(): Promise<void>;
}

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_THREADS = 4;

/**
 * Reads pages in threads, because they come from untrusted sources. Each may have 5 MB and take 2 s of the processor, a PDF
 * 10 s. A page exceeding its time or memory ends only its own thread, and the page that waits behind it is read by the next
 * one.
 */
export function createExtractor(): Extractor {
  const { run, close } = createThreadSlots(Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)));
  return {
    async extract(page) {
      if (page.bytes.byteLength > MAX_BYTES) throw new ExtractionError('too_large', 'The page is larger than 5 MB');
      const answer = await run({ page });
      if ('failure' in answer) throw new ExtractionError(answer.failure.code, answer.failure.message);
      const { read, split } = answer;
      return split === undefined ? read : { ...read, parts: split };
    },
    async split(text) {
      const answer = await run({ text });
      return 'failure' in answer ? splitHere(text) : answer.split;
    },
    close,
  };
}
