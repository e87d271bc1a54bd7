import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Id, Timestamp } from '../../schemas/parts.ts';
import { ChannelName } from '../ledger/schema.ts';
import { listSandboxSends } from './queries.ts';

const SandboxOutbox = z
  .object({
    items: z.array(
      z.object({
        id: Id.describe("The delivery's."),
        channel: ChannelName,
        to: z.string(),
        payload: z.unknown().describe("The request that the provider's API would have received."),
        simulated: z.literal(true),
        created_at: Timestamp,
      }),
    ),
  })
  .meta({ id: 'SandboxOutbox' });

/** The sends accepted by the sandbox in place of providers. In development only. */
export const sandboxRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/sandbox/outbox', {
    config: { scope: 'any' },
    schema: {
      operationId: 'listSandboxOutbox',
      summary: 'List what went to the sandbox',
      tags: ['deliveries'],
      description:
        'The latest 1,000 SMS, WhatsApp messages and calls that went to the sandbox, newest first. In development only.',
      response: { 200: SandboxOutbox, ...errorResponses() },
    },
    handler: async ({ db, org }) => ({
      items: (await listSandboxSends(db, org.id)).map((row) => ({ ...row, simulated: true as const })),
    }),
  });
};
