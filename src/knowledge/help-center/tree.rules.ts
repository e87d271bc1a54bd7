import type { HelpArticle, HelpCategory } from './content.schema.ts';

/** Length of an article's or category's path: all slugs from the root, including its own. */
export const MAX_PATH_LENGTH = 500;
const MAX_ARTICLES = 5_000;
const MAX_CATEGORIES = 1_000;
const MAX_ISSUES = 20;

/** A category or an article without its tree. */
interface FlattenedNode {
  /** The slugs from the root on, joined by slashes. */
  path: string;
  /** Undefined at the root. */
  parentPath: string | undefined;
  position: number;
}
export type FlattenedCategory = FlattenedNode & { category: HelpCategory };
export type FlattenedArticle = FlattenedNode & { article: HelpArticle };

export interface FlattenedTree {
  categories: FlattenedCategory[];
  articles: FlattenedArticle[];
  /** Problems of the tree, each with its location. */
  issues: { path: string; message: string }[];
}

/** Flattens a tree, parents first. */
export function flattenTree(roots: HelpCategory[]): FlattenedTree {
  const placed: FlattenedTree = { categories: [], articles: [], issues: [] };
  const placeChildren = (
    { articles, categories = [] }: Partial<HelpCategory>,
    parentPath: string | undefined,
    at: string,
  ) => {
    const taken = new Set<string>();
    const take = (slug: string, where: string): string => {
      const path = parentPath === undefined ? slug : `${parentPath}/${slug}`;
      const refuse = (message: string) => placed.issues.push({ path: `${where}.slug`, message });
      if (taken.has(slug)) refuse(`must differ from those of its siblings: ${path} is there twice`);
      if (path.length > MAX_PATH_LENGTH)
        refuse(`makes a path of more than ${MAX_PATH_LENGTH} characters: ${path.slice(0, 100)}…`);
      taken.add(slug);
      return path;
    };
    for (const [position, article] of (articles ?? []).entries()) {
      placed.articles.push({ path: take(article.slug, `${at}articles.${position}`), parentPath, position, article });
    }
    for (const [position, category] of categories.entries()) {
      const where = `${at}categories.${position}`;
      const path = take(category.slug, where);
      placed.categories.push({ path, parentPath, position, category });
      placeChildren(category, path, `${where}.`);
    }
  };
  placeChildren({ categories: roots }, undefined, 'body.');
  const limit = (what: string, count: number, most: number) => {
    if (count > most)
      placed.issues.unshift({
        path: 'body.categories',
        message: `must hold at most ${most} ${what} in all, not ${count}`,
      });
  };
  limit('articles', placed.articles.length, MAX_ARTICLES);
  limit('categories', placed.categories.length, MAX_CATEGORIES);
  placed.issues.splice(MAX_ISSUES);
  return placed;
}

interface CategoryRow {
  id: string;
  parent_id: string | null;
  name: string;
  slug: string;
  description: string | null;
  icon: string | null;
}

/** Builds a tree from rows sorted by position. */
export function buildTree(
  categories: CategoryRow[],
  articles: (HelpArticle & { category_id: string })[],
): HelpCategory[] {
  const childrenOf = Map.groupBy(categories, ({ parent_id }) => parent_id);
  const articlesOf = Map.groupBy(articles, ({ category_id }) => category_id);
  const build = ({ id, name, slug, description, icon }: CategoryRow): HelpCategory => ({
    name,
    slug,
    description,
    icon,
    articles: articlesOf.get(id) ?? [],
    categories: (childrenOf.get(id) ?? []).map(build),
  });
  return (childrenOf.get(null) ?? []).map(build);
}
