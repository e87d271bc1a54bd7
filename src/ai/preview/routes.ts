import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { signalOfHangUp } from '../../api/edge/hang-up.ts';
import { createSlots } from '../../concurrency/slots.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { PreviewedTurn, PreviewTurn } from './schema.ts';
import { previewDraft } from './service.ts';

/** A preview holds memory and a connection of its client while models are asked. */
const SLOTS = { total: 32, perOrg: 4, what: 'previews' };

/** Route of previews. */
export const previewRoutes: FastifyPluginAsyncZod<Deps> = async (
  app,
  { egress, secrets, calls, semantics, chatContextOf },
) => {
  const slots = createSlots(SLOTS);

  app.post('/autopilot/preview', {
    config: { scope: 'autopilot:write', isRepeatable: true },
    schema: {
      operationId: 'previewAutopilot',
      tags: ['autopilot'],
      summary: 'Preview the AI’s next turn',
      description:
        'Decides by the draft of the settings what the AI would do, by the same code as a live turn, on a channel where autopilot is on. Nothing follows: no action is called, no message stored, no session handed off. Models are asked, within the budgets; the usage has them as `preview`. At most 60 seconds, and four at once.',
      body: PreviewTurn,
      response: { 200: PreviewedTurn, ...errorResponses(403, 404, 503) },
    },
    handler: async ({ db, org, body }, reply) => {
      const deps = { db, egress, secrets, calls, semantics, chatContextOf };
      return slots.use(org.id, () => previewDraft(deps, org.id, body, signalOfHangUp(reply)));
    },
  });
};
