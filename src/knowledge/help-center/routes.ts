import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { ArticleList, ArticleRef, ArticlesQuery, ShownArticle } from './articles.schema.ts';
import { getHelpArticle, listHelpArticles } from './articles.service.ts';
import { ContentTree, SyncContentTree, SyncedContent } from './content.schema.ts';
import { getContent, syncContent } from './content.service.ts';
import { Feedback, ListFeedback } from './feedback/schema.ts';
import { getFeedback } from './feedback/service.ts';

const tags = ['help-center'];
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

export const helpCenterRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { config, semantics, documents } = deps;
  const publicUrl = config.PUBLIC_URL;

  app.put('/help-center/content', {
    config: { scope: 'help-center:write' },
    bodyLimit: BODY_LIMIT_BYTES,
    schema: {
      operationId: 'syncContentTree',
      summary: 'Replace the help center',
      tags,
      description:
        'Replaces the help center with the tree, all of it or nothing: articles, known by the path of their slugs, and categories that the tree has not are deleted. It takes up to 10 MB; while another replacement is in progress, it is a 409. An `openapi_spec` that is too costly is refused with the bound that it exceeds; 429 and 503 mean that others are being read.',
      body: SyncContentTree,
      response: { 200: SyncedContent, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }) => syncContent({ db, documents }, { publicUrl, orgId: org.id }, body),
  });

  app.get('/help-center/content', {
    config: { scope: 'help-center:read' },
    schema: {
      operationId: 'getContentTree',
      summary: 'Get the help center',
      tags,
      description: 'Returns the tree as it was given, with its `openapi_spec`.',
      response: { 200: ContentTree, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => getContent(db, org.id),
  });

  app.get('/help-center/articles', {
    config: { scope: 'help-center:read' },
    schema: {
      operationId: 'listHelpCenterArticles',
      summary: 'List help center articles',
      tags,
      description:
        'Lists all articles in the order of creation, or the best ones for the question `q`. Each has the address where anybody reads it.',
      querystring: ArticlesQuery,
      response: { 200: ArticleList, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => listHelpArticles(db, { publicUrl, semantics }, org.id, query),
  });

  app.get('/help-center/articles/:id', {
    config: { scope: 'help-center:read' },
    schema: {
      operationId: 'getHelpCenterArticle',
      summary: 'Get a help center article',
      description: 'Returns the article with its text and the address where anybody reads it.',
      tags,
      params: ArticleRef,
      response: { 200: ShownArticle, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getHelpArticle(db, publicUrl, org.id, params.id),
  });

  app.get('/help-center/articles/:id/feedback', {
    config: { scope: 'help-center:read' },
    schema: {
      operationId: 'getHelpCenterFeedback',
      summary: 'Get the feedback on a help center article',
      description:
        'Counts the answers of readers by language, and lists their sentences, newest first, for a year. Nothing else is known of a reader.',
      tags,
      params: ArticleRef,
      querystring: ListFeedback,
      response: { 200: Feedback, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => getFeedback(db, org.id, params.id, query),
  });
};
