import type { HelpArticle, HelpCategory } from '../../knowledge/help-center/content.schema.ts';
import type { Finding } from '../findings.rules.ts';
import { filled } from '../reading/record-parts.rules.ts';
import type { ArticleRecord, CategoryRecord } from '../records.rules.ts';

/** An id comes behind it, and a path of eight parts has at most 500 characters. */
const MAX_NAME_LENGTH = 45;
const MAX_SUFFIX_LENGTH = 40;
const MAX_TITLE_LENGTH = 500;
const MAX_DESCRIPTION_LENGTH = 5_000;
const MAX_META_LENGTH = 2_000;
/** Of articles without a category. */
const OTHERS: CategoryRecord = {
  externalId: '',
  name: 'Other articles',
  locale: '',
  position: Number.MAX_SAFE_INTEGER,
};

/** What is remembered of an article: where it was put, and its content then. */
export interface ArticleMemory {
  path: string;
  hash: string;
}

/** Returns a part of a path from a title, distinguished by an id: letters and digits of any script. */
export function slugOf(title: string, id: string): string {
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  const suffix = id.replace(/[^\w-]+/g, '-').slice(0, MAX_SUFFIX_LENGTH);
  let name = '';
  for (const character of (words ?? []).join('-')) {
    if (name.length + character.length > MAX_NAME_LENGTH) break;
    name += character;
  }
  return name === '' ? suffix : `${name}-${suffix}`;
}

const titled = (title: string, fallback: string) =>
  (filled(title) ?? fallback).slice(0, MAX_TITLE_LENGTH).toWellFormed();

/** The levels of categories that are kept. */
const MAX_DEPTH = 8;

/** The categories of a source, by their ids. */
export type Categories = Map<string, CategoryRecord>;

/** Returns the categories from the root to one, the nearest eight of them. A circle of categories ends at its first one. */
function chainOf(categories: Categories, id: string | undefined): CategoryRecord[] {
  const chain: CategoryRecord[] = [];
  for (let next = id; next !== undefined; ) {
    const category = categories.get(next);
    if (category === undefined || chain.length === MAX_DEPTH || chain.includes(category)) break;
    chain.unshift(category);
    next = category.parentId;
  }
  return chain.length === 0 ? [OTHERS] : chain;
}

const categoryOf = ({ externalId, name, description }: CategoryRecord): HelpCategory => ({
  name: titled(name, 'Articles'),
  slug: externalId === '' ? 'other-articles' : slugOf(name, externalId.replace(/^\w+ /, '')),
  description: description?.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed() ?? null,
  icon: null,
  articles: [],
  categories: [],
});

/** Returns the categories that an article is in. Those of another language are below one with its name. */
export function pathOf(categories: Categories, { categoryId, locale, mainLocale }: ArticleRecord): HelpCategory[] {
  const chain = chainOf(categories, categoryId).map(categoryOf);
  if (locale === mainLocale) return chain;
  return [
    {
      name: locale,
      slug: locale.replace(/[^\w-]+/g, '-'),
      description: null,
      icon: null,
      articles: [],
      categories: [],
    },
    ...chain,
  ];
}

/** Returns the positions of an article's categories, from the root on, and its own. */
export const placesOf = (
  categories: Categories,
  { categoryId, locale, mainLocale, position }: ArticleRecord,
): number[] => [
  locale === mainLocale ? 0 : 1,
  ...chainOf(categories, categoryId).map((category) => category.position),
  position,
];

export function comparePlaces(one: number[], other: number[]): number {
  const nth = one.findIndex((place, at) => place !== other[at]);
  return nth < 0 ? 0 : (one[nth] ?? 0) - (other[nth] ?? 0);
}

/** Returns an article as it is stored. */
export const articleOf = ({ externalId, title, description }: ArticleRecord, markdown: string): HelpArticle => ({
  title: titled(title, 'Untitled'),
  slug: slugOf(title, externalId),
  content_markdown: markdown,
  meta_title: null,
  meta_description: description?.slice(0, MAX_META_LENGTH).toWellFormed() ?? null,
});

/** Finds the article at a path. */
export function findArticle(roots: HelpCategory[], path: string): HelpArticle | undefined {
  const slugs = path.split('/');
  let level = roots;
  let category: HelpCategory | undefined;
  for (const slug of slugs.slice(0, -1)) {
    category = level.find((one) => one.slug === slug);
    if (category === undefined) return undefined;
    level = category.categories ?? [];
  }
  return category?.articles.find((one) => one.slug === slugs.at(-1));
}

/** Puts an article into the tree below categories, which are added where they are missing. Replaces the article at its path. */
export function putArticle(roots: HelpCategory[], path: HelpCategory[], article: HelpArticle): void {
  let level = roots;
  let last: HelpCategory | undefined;
  for (const category of path) {
    last = level.find(({ slug }) => slug === category.slug);
    if (last === undefined) {
      last = { ...category, articles: [], categories: [] };
      level.push(last);
    }
    last.categories ??= [];
    level = last.categories;
  }
  if (last === undefined) return;
  const place = last.articles.findIndex(({ slug }) => slug === article.slug);
  if (place < 0) last.articles.push(article);
  else last.articles[place] = article;
}

export const CHANGED_HERE: Finding = {
  code: 'changed_here',
  reason: 'The article was changed here: it stays as it is',
};
export const DELETED_HERE: Finding = {
  code: 'deleted_here',
  reason: 'The article was imported and then deleted or moved here',
};
