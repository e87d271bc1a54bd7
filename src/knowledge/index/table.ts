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
  /** The lengths of all its chunks. */
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
  /** Of all that its postings were made of. */
  hash: Buffer;
  /** The item's title and the headings that it stands under. */
  path: string[];
  content: string;
  /** The frequencies of all its lexemes. */
  length: number;
  lexemes: string[];
  /** The first of the chunks that were written together. */
  segment: number;
}

export interface KnowledgePostingsTable {
  org_id: string;
  lexeme: string;
  segment: number;
  /** One for each of the segment's chunks that hold the lexeme, as packHit makes them. */
  hits: number[];
}

export interface KnowledgeWordsTable {
  org_id: string;
  word: string;
}

declare module '../../db/database.ts' {
  interface Database {
    knowledge_chunks: KnowledgeChunksTable;
    knowledge_items: KnowledgeItemsTable;
    knowledge_postings: KnowledgePostingsTable;
    knowledge_words: KnowledgeWordsTable;
  }
}
