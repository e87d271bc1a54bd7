import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root';
import { textsIn } from './search';

/** A filter that means nothing is refused by the API, with a sentence. */
type Search = Partial<
  Record<'collection' | 'tab' | 'q' | 'visibility' | 'crawl' | 'kind' | 'status' | 'reason', string>
>;

const staticData = { area: 'Knowledge' } as const;
const validateSearch = (search: Record<string, unknown>): Search => textsIn(search);

const articles = createRoute({
  getParentRoute: () => root,
  path: '/knowledge',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/knowledge/articles/articles'), 'Articles'),
});
const article = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/articles/$articleId',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/knowledge/article/article'), 'ArticlePage'),
});
const helpCenter = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/help-center',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/knowledge/help-center/help-center'), 'HelpCenter'),
});
const helpArticle = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/help-center/$articleId',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/knowledge/help-center/help-article'), 'HelpArticle'),
});
const websites = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/websites',
  staticData,
  component: lazyRouteComponent(() => import('../../areas/knowledge/websites/websites'), 'Websites'),
});
const website = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/websites/$websiteId',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/knowledge/website/website'), 'WebsitePage'),
});
const playground = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/search',
  staticData,
  validateSearch,
  component: lazyRouteComponent(() => import('../../areas/knowledge/playground/playground'), 'Playground'),
});

export const knowledgeRoutes = [articles, article, helpCenter, helpArticle, websites, website, playground] as const;
