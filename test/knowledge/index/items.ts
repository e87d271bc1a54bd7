import { newId } from '../../../src/ids.ts';
import type { KnowledgeItem } from '../../../src/knowledge/index/items.schema.ts';

/** A page of a website in English, but for what is given. */
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
