import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { signalOfHangUp } from '../../api/edge/hang-up.ts';
import { once } from '../../api/edge/once.ts';
import { createSlots } from '../../concurrency/slots.ts';
import { Training } from '../../knowledge/training/schema.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { hasScope } from '../../schemas/scopes.ts';
import { GenerateScenario, LEARNED_TEXTS } from './schema.ts';
import { READ_SESSIONS, storeScenario, writeScenario } from './service.ts';

const SLOTS = { total: 16, perOrg: 2, what: 'scenarios' };

/** Route of scenarios learned from sessions. */
export const scenarioRoutes: FastifyPluginAsyncZod<Deps> = async (app, { egress, secrets, calls }) => {
  const slots = createSlots(SLOTS);

  app.post(
    '/training/generate-scenario',
    once({
      config: { scope: 'training:write' },
      schema: {
        operationId: 'generateScenario',
        tags: ['training'],
        summary: 'Draft training from a session',
        description:
          'The org’s model writes a title and a content from what people answered in a session, as a draft: the AI does not use it before PUT /training/{id}/draft. E-mail addresses, phone numbers and long numbers are left out, and the model gets the instruction to leave out all else about the customer: read the draft before you publish it. The key needs chat-sessions:read too. At most 45 seconds, within the budgets; the usage has it as `scenario`. 409: no model may be asked. 422: there is nothing to learn.',
        body: GenerateScenario,
        response: { 201: Training, ...errorResponses(403, 404, 409, 422, 503) },
      },
      prepare: async ({ db, org, body }, { reply }) => {
        const asked = { orgId: org.id, sessionId: body.session_id, mayRead: hasScope(org, READ_SESSIONS) };
        const write = () => writeScenario({ db, egress, secrets, calls }, asked, signalOfHangUp(reply));
        return slots.use(org.id, write);
      },
      act: async ({ db, org }, { prepared: scenario, reply }) => {
        reply.code(201);
        return { answer: await storeScenario(db, org, scenario) };
      },
      redact: LEARNED_TEXTS,
    }),
  );
};
