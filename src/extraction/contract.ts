import type { NumberedParts, SplitText } from '../knowledge/index/parts.rules.ts';

/** The content and metadata of a page. */
export interface ExtractedPage {
  title: string;
  markdown: string;
  language: string | null;
  canonical: string | null;
  isNoindex: boolean;
  isNofollow: boolean;
  /** Absolute http(s) addresses in document order, without fragments. */
  links: string[];
  /** The number of further references, beyond the limit of links. */
  cutLinks: number;
  /** The target of an automatic redirect in the page. */
  refresh: string | null;
  /** Little text and mostly scripts: a browser would show more. */
  looksScripted: boolean;
  /** Which part of its text is read, as a sentence. Null: all of it. */
  readPart: string | null;
}

export interface Page {
  bytes: Uint8Array;
  contentType: string | null;
  /** The address of the page. */
  url: string;
  /** Parameters that links of the same host are read without. */
  ignoredParameters?: readonly string[];
  /** Present if the text is also to be split for the search index. A text with this `textHashOf` is not split. */
  split?: { unlessHash: string | null };
}

/** Returns the text of a page for the search index. Its title is the path of its address if it has none. */
export const textOf = ({ title, markdown }: ExtractedPage, url: string): SplitText => ({
  title: title.trim() || new URL(url).pathname,
  markdown: markdown.trim(),
});

type ExtractionFailure = 'too_slow' | 'too_large' | 'unreadable' | 'unsupported_type';

export class ExtractionError extends Error {
  readonly code: ExtractionFailure;

  constructor(code: ExtractionFailure, message: string) {
    super(message);
    this.name = 'ExtractionError';
    this.code = code;
  }
}

/** What a thread is asked. */
export type ThreadTask = { page: Page } | { text: SplitText };

/** A thread's answer to a task. `Parts`: the chunks of a text. */
export type ThreadResult<Task extends ThreadTask = ThreadTask, Parts = NumberedParts> =
  | (Task extends { page: Page } ? { read: ExtractedPage; split?: Parts } : { split: Parts })
  | { failure: Failure };

export interface Failure {
  code: ExtractionFailure;
  message: string;
}
