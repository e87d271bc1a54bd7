import type { Generated, GeneratedAlways } from 'kysely';
import type { SourceType, Visibility } from './items.schema.ts';

export interface KnowledgeItemsTable {
  org_id: string;
  id: string;
  source_type: SourceType;
  source: string;
  title: string;
  url: string | null;
  visibility: Visibility;
  language: string | null;
  channels: string[];
  segments: string[];
  chunks: Generated<number>;
  /** The sum of its chunks' lengths. */
  words: Generated<number>;
  /** In the order of the text. */
  chunk_ids: Generated<number[]>;
}

export interface KnowledgeChunksTable {
  org_id: string;
  id: GeneratedAlways<number>;
  item_id: string;
  position: number;
  start_offset: number;
  end_offset: number;
  /** The hash of all sources of its postings. */
  hash: Buffer;
  /** The item's title and the headings above the chunk. */
  path: string[];
  content: string;
  /** The sum of the frequencies of all its lexemes. */
  length: number;
  lexemes: string[];
  /** The lowest id of the chunks written together. */
  segment: number;
}

export interface KnowledgePostingsTable {
  org_id: string;
  lexeme: string;
  segment: number;
  /** One for each of the segment's chunks with this lexeme, packed by packHit. */
  hits: number[];
}

export interface KnowledgeWordsTable {
  org_id: string;
  word: string;
}

/** The state of an org's words, which many transactions add to. */
export interface KnowledgeVocabulariesTable {
  org_id: string;
  /** Incremented when words are deleted. What a process remembers of an earlier generation may be gone. */
  generation: Generated<number>;
  /** The last word compared with the texts. Empty: the next comparison begins with the first word. */
  checked_to: Generated<string>;
  checked_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    knowledge_chunks: KnowledgeChunksTable;
    knowledge_items: KnowledgeItemsTable;
    knowledge_postings: KnowledgePostingsTable;
    knowledge_vocabularies: KnowledgeVocabulariesTable;
    knowledge_words: KnowledgeWordsTable;
  }
}
