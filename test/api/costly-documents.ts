import type { DocumentResult } from '../../src/documents/openapi.ts';

/** Reads for as many milliseconds as the text says. */
export function readForLong(text: string): DocumentResult<string> {
  const end = performance.now() + Number(text);
  while (performance.now() < end);
  return { read: text };
}

/** Reads more and more, until the memory of its thread is used up. */
export function readEverything(): DocumentResult<string> {
  const all: number[][] = [];
  for (;;) all.push(new Array(500_000).fill(0.5));
}

/** Finds no document. */
export const readNothing = (text: string): DocumentResult<string> => ({ problem: `is no document: ${text}` });
