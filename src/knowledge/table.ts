import type { Generated, GeneratedAlways } from 'kysely';
import type { SourceType, Visibility } from './index/items.schema.ts';
import type { CreateTraining } from './training/schema.ts';

export interface TrainingDirectoriesTable {
  org_id: string;
  id: string;
  name: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TrainingItemsTable {
  org_id: string;
  id: string;
  title: string;
  content: string;
  type: CreateTraining['type'];
  is_draft: boolean;
  directory_id: string | null;
  restricted_to_channels: CreateTraining['restricted_to_channels'];
  restricted_to_segments: string[];
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

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

export interface KnowledgeEmbeddingsTable {
  org_id: string;
  chunk_id: number;
  model: string;
  vector: Buffer;
  /** The id of the transaction that wrote it, as text. */
  xid: Generated<string>;
}

export interface KnowledgeWordsTable {
  org_id: string;
  word: string;
}
