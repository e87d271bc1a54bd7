import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { readPause } from '../../deliveries/pause/service.ts';
import { databaseCheck, temporalCheck } from '../../operations/checks.ts';
import { createHealth, VERSION } from '../../operations/health.ts';
import { endOperatorSession } from '../../operations/operator/access.service.ts';
import {
  pageOfActions,
  pauseAsOperator,
  releaseAsOperator,
  resumeAsOperator,
} from '../../operations/operator/actions.service.ts';
import { NO_BODY } from '../../schemas/parts.ts';
import { operatorCookieOf } from '../../sign-in/cookies.ts';
import { connectTemporalWithoutRetries } from '../../temporal/client.ts';
import { wakeStalledWebhooks } from '../../webhooks/maintenance.service.ts';
import type { Deps } from '../deps.ts';
import { operatorDocument } from './document.ts';
import {
  ActionList,
  ChangeSending,
  Incidents,
  Limits,
  ListActions,
  ListOrgs,
  ListParked,
  OrgList,
  Outbox,
  ParkedList,
  ParkedRef,
  Providers,
  Queues,
  Reconcile,
  Reconciled,
  Released,
  Sending,
  State,
} from './schema.ts';
import {
  compareWithTemporal,
  incidentsOf,
  linksOf,
  pageOfOrgs,
  pageOfParked,
  stateOfLimits,
  stateOfOutbox,
  stateOfProviders,
  stateOfQueues,
} from './state.service.ts';

/** Outside of the document of the organizations: the operator has a small one. */
const config = { scope: 'operator', isRepeatable: true } as const;
const PREFIX = '/operator/v1';

/** Describes an operation in the operator's document. */
const described = <Answer extends z.ZodType>(summary: string, answer: Answer) =>
  ({ hide: true, summary, response: { 200: answer } }) as const;

/** The state of the whole installation, for who runs it. No answer has a customer's text or a secret. */
export const operatorRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const cookie = operatorCookieOf(deps.config);
  const health = createHealth({
    program: 'api',
    checks: { database: databaseCheck(deps.db), temporal: temporalCheck(deps.temporal) },
    required: ['database'],
  });
  const temporal = connectTemporalWithoutRetries(deps.config);
  app.addHook('onClose', () => temporal.close());
  const incidents = incidentsOf(deps.db);
  const document = operatorDocument(deps.config.PUBLIC_URL, cookie.name);
  app.addHook('onRoute', document.add);
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));

  app.get('/operator/openapi.json', {
    schema: { hide: true },
    config: { scope: 'public', limitedBy: 'address' },
    handler: async () => document.read(),
  });

  app.get(`${PREFIX}/state`, {
    config,
    schema: described('See whether all parts are there, and who is signed in', State),
    handler: async ({ db, operator: { name, via, expiresAt } }) => {
      const { status, reasons = {} } = await health.read();
      const sending = await readPause(db);
      return {
        operator: { name, via, expires_at: expiresAt },
        version: VERSION,
        status,
        reasons,
        sending,
        links: linksOf(deps.config),
      };
    },
  });

  app.get(`${PREFIX}/orgs`, {
    config,
    schema: { ...described('List organizations with counts of at most 1,000', OrgList), querystring: ListOrgs },
    handler: async ({ db, query }) => pageOfOrgs(db, query),
  });

  app.get(`${PREFIX}/outbox`, {
    config,
    schema: described('See what waits for the relay, and what it could not handle', Outbox),
    handler: async ({ db }) => stateOfOutbox(db),
  });

  app.get(`${PREFIX}/parked`, {
    config,
    schema: {
      ...described('List events that are parked, as each try ended the worker', ParkedList),
      querystring: ListParked,
    },
    handler: async ({ db, query }) => pageOfParked(db, query),
  });

  app.post(`${PREFIX}/parked/:id/release`, {
    config,
    schema: { ...described('Have a parked event handled again', Released), params: ParkedRef },
    handler: async ({ db, params, log, operator }) => {
      await releaseAsOperator(db, operator, params.id);
      log.info({ eventId: params.id, operator: operator.id }, 'the operator has released a parked event');
      return { id: params.id, released: true as const };
    },
  });

  app.get(`${PREFIX}/queues`, {
    config,
    schema: described('See the workers and the backlog of each task queue', Queues),
    handler: async () => stateOfQueues(temporal.client, deps.config),
  });

  app.get(`${PREFIX}/providers`, {
    config,
    schema: described('Count the connections by provider', Providers),
    handler: async ({ db }) => stateOfProviders(db),
  });

  app.get(`${PREFIX}/incidents`, {
    config,
    schema: described('List what a person has to mend, of all organizations', Incidents),
    handler: incidents,
  });

  app.get(`${PREFIX}/limits`, {
    config,
    schema: described('List who has reached a limit', Limits),
    handler: async ({ db }) => stateOfLimits(db, deps.config),
  });

  app.post(`${PREFIX}/reconcile`, {
    config,
    schema: { ...described('Compare with Temporal, and mend nothing', Reconciled), body: Reconcile },
    handler: async ({ db, log }) => compareWithTemporal(db, temporal.client, { config: deps.config, log }),
  });

  app.put(`${PREFIX}/sending`, {
    config,
    schema: { ...described('Pause all messages and webhooks, or resume them', Sending), body: ChangeSending },
    handler: async ({ db, body: { state, reason }, log, operator }) => {
      log.info({ state, operator: operator.id }, 'the operator pauses or resumes sending');
      if (state === 'paused') await pauseAsOperator(db, operator, reason);
      else {
        await resumeAsOperator(db, operator);
        await wakeStalledWebhooks(db, 0);
      }
      return readPause(db);
    },
  });

  app.get(`${PREFIX}/actions`, {
    config,
    schema: { ...described('List what operators did, newest first', ActionList), querystring: ListActions },
    handler: async ({ db, query }) => pageOfActions(db, query),
  });

  app.post(`${PREFIX}/logout`, {
    config,
    schema: { hide: true, summary: 'End the session' },
    handler: async ({ db, operator }, reply) => {
      if (operator.via === 'session') await endOperatorSession(db, operator);
      reply.clearCookie(cookie.name, cookie.options).code(204);
      return NO_BODY;
    },
  });
};
