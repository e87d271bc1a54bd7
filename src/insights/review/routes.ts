import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Proposal, ProposalPath, Proposals } from './schema.ts';
import { dismissProposal, getProposals, requestReview } from './service.ts';

const tags = ['insights'];

/** Routes of the weekly review of insights. */
export const reviewRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/insights/proposals', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'listInsightProposals',
      tags,
      summary: 'List proposed merges',
      description:
        'Lists up to 100 pairs of insights that may be the same, the most alike first. They are looked for each week.',
      response: { 200: Proposals, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => getProposals(db, org.id),
  });

  app.post('/insights/proposals/run', {
    config: { scope: 'insights:write' },
    schema: {
      operationId: 'reviewInsights',
      tags,
      summary: 'Review insights now',
      description:
        'Looks for insights that may be the same, and gives categories to insights that have none from people. Answers at once; `reviewed_at` changes when it is done.',
      response: { 200: Proposals, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => {
      await requestReview(db, org.id);
      return getProposals(db, org.id);
    },
  });

  app.post('/insights/proposals/:proposalId/dismiss', {
    config: { scope: 'insights:write' },
    schema: {
      operationId: 'dismissInsightProposal',
      tags,
      summary: 'Dismiss a proposed merge',
      description: 'Removes the proposal from the list. It is not proposed again.',
      params: ProposalPath,
      response: { 200: Proposal, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => dismissProposal(db, org.id, params.proposalId),
  });
};
