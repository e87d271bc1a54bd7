import { newId } from '../../../src/ids.ts';
import type { KnowledgeItem } from '../../../src/knowledge/index/items.schema.ts';

/** Returns an English page of a website, with the given changes. */
export const newItem = (item: Partial<KnowledgeItem> = {}): KnowledgeItem => ({
  id: newId(),
  sourceType: 'website',
  source: 'website',
  title: 'Page',
  markdown: 'Text',
  url: null,
  visibility: 'public',
  language: 'en',
  channels: [],
  segments: [],
  isDraft: false,
  ...item,
});
