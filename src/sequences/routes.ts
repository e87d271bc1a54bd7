import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { elementAt } from '../collections/checked-access.ts';
import type { Db } from '../db/connect.ts';
import { missingScope } from '../errors.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { hasScope } from '../schemas/scopes.ts';
import {
  addContacts,
  cancelSequence,
  createSequence,
  deleteSequence,
  getSequence,
  pageOfSequences,
  pauseSequence,
  resumeSequence,
  startSequence,
  updateSequence,
  withSteps,
} from './definitions/service.ts';
import { audienceOf } from './enrollment/audience.service.ts';
import { explainEnrollment } from './enrollment/explanation.service.ts';
import { pageOfEnrollments } from './enrollment/listing.service.ts';
import { ContactExplanation, ExplainQuery } from './explanation/schema.ts';
import { explainContact } from './explanation/service.ts';
import { getForecast, requestForecast, toJob } from './forecast/jobs.service.ts';
import {
  AddContacts,
  AddContactsAnswer,
  ChangePreview,
  CreatedSequence,
  CreateSequence,
  EnrollmentList,
  EnrollmentParams,
  ExplainedEnrollment,
  ForecastJob,
  ForecastParams,
  ListEnrollments,
  ListSequences,
  Sequence,
  SequenceForecast,
  SequenceList,
  SequenceParams,
  SequenceStats,
  TestSequence,
  TestSequenceAnswer,
  UpdateSequence,
} from './schema.ts';
import { sendTest } from './sending/test-send.service.ts';
import { SequenceSeries, SeriesQuery } from './stats/schema.ts';
import { getSeries } from './stats/series.service.ts';
import { getStats } from './stats/service.ts';
import { previewChange } from './steps/preview.service.ts';

const tags = ['sequences'];

async function sequenceResponse(db: Db, orgId: string, id: string) {
  return elementAt(await withSteps(db, orgId, [await getSequence(db, orgId, id)]), 0);
}

export const sequenceRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  const saving = { isDevelopment: config.DEVELOPMENT };
  const defaults = { hasMailServer: config.SMTP_URL !== undefined, isDevelopment: config.DEVELOPMENT };

  app.post('/sequences', {
    config: { scope: 'sequences:write' },
    schema: {
      operationId: 'createSequence',
      summary: 'Create a sequence',
      description:
        'Creates a continuous sequence, which enrolls contacts once they match (`enroll_existing`: those who match already too), or a one-off one, which sends nothing until PUT /sequences/{id}/start. A `custom_id` in use is a 409.',
      tags,
      body: CreateSequence,
      response: { 201: CreatedSequence, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      const { id } = await createSequence(db, org.id, body, saving);
      return { id, audience: await audienceOf(db, org.id, await getSequence(db, org.id, id)) };
    },
  });

  app.get('/sequences', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'listSequences',
      summary: 'List sequences',
      description: 'Lists the sequences by creation, with their steps and status. Deleted ones are left out.',
      tags,
      querystring: ListSequences,
      response: { 200: SequenceList, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfSequences(db, org.id, query),
  });

  app.get('/sequences/:id', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'getSequence',
      summary: 'Get a sequence',
      description: 'Returns the sequence with its steps, by its id or its `custom_id`.',
      tags,
      params: SequenceParams,
      response: { 200: Sequence, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => sequenceResponse(db, org.id, params.id),
  });

  app.patch('/sequences/:id', {
    config: { scope: 'sequences:write' },
    schema: {
      operationId: 'updateSequence',
      summary: 'Update a sequence',
      description:
        'Absent fields keep their values, and `gates` merges by name. `steps` replaces all: a step keeps its progress by its `id`, or by the same action and delay. Any other is new, and is sent to those who have not passed its place. Filter, steps and gates of a sequence that is complete or canceled cannot change (409).',
      tags,
      params: SequenceParams,
      body: UpdateSequence,
      response: { 200: z.union([Sequence, ChangePreview]), ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => {
      const changes = { ...body, ref: params.id };
      if (body.preview === true) return previewChange(db, org.id, changes, saving);
      await updateSequence(db, org.id, changes, saving);
      return sequenceResponse(db, org.id, params.id);
    },
  });

  app.delete('/sequences/:id', {
    config: { scope: 'sequences:write' },
    schema: {
      operationId: 'deleteSequence',
      summary: 'Delete a sequence',
      description:
        'Cancels the sequence for good: its enrollments end, and messages that wait are not sent. Only its deliveries can be read afterwards.',
      tags,
      params: SequenceParams,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await deleteSequence(db, org.id, params.id);
      return NO_BODY;
    },
  });

  const commands = {
    start: {
      operationId: 'startSequence',
      summary: 'Start a one-off sequence',
      description:
        'Enrolls everybody who matches the filter now, and begins to send. A sequence that is continuous, or was started or canceled before, is a 409.',
      run: startSequence,
    },
    cancel: {
      operationId: 'cancelSequence',
      summary: 'Cancel a sequence or a run',
      description:
        'Ends all enrollments of the sequence for good, or those of one run if the id is that of a run. Messages that wait are not sent. A sequence that is complete is a 409.',
      run: cancelSequence,
    },
    pause: {
      operationId: 'pauseSequence',
      summary: 'Pause a sequence',
      description:
        'Stops sending within one batch, until PUT /sequences/{id}/resume. Enrollments keep their place. A paused sequence stays as it is; any other that is not active is a 409.',
      run: pauseSequence,
    },
    resume: {
      operationId: 'resumeSequence',
      summary: 'Resume a sequence',
      description:
        'Continues a paused sequence: what has become due meanwhile is sent now, as its gates allow. An active one stays as it is; any other is a 409.',
      run: resumeSequence,
    },
  };
  for (const [name, { run, ...described }] of Object.entries(commands)) {
    app.put(`/sequences/:id/${name}`, {
      config: { scope: 'sequences:write' },
      schema: {
        ...described,
        tags,
        params: SequenceParams,
        response: { 200: NoBody, ...errorResponses(403, 404, 409) },
      },
      handler: async ({ db, org, params }) => {
        await run(db, org.id, params.id);
        return NO_BODY;
      },
    });
  }

  app.post('/sequences/:id/contacts', {
    config: { scope: 'sequences:write' },
    schema: {
      operationId: 'addContactsToSequence',
      summary: 'Enroll contacts',
      description:
        'Enrolls contacts who match the filter in a continuous sequence, each once in its life. Unknown e-mails and numbers become contacts. `skipped` names those left out, with the reason; a one-off or ended sequence is a 409.',
      tags,
      params: SequenceParams,
      body: AddContacts,
      response: { 201: AddContactsAnswer, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }, reply) => {
      reply.code(201);
      return addContacts(db, org.id, params.id, body.contacts);
    },
  });

  app.post('/sequences/:id/forecast', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'forecastSequence',
      tags,
      summary: 'Forecast a sequence',
      description:
        'Computes what would go out, to how many and when, if nothing changed. If that takes longer than 2 s, the answer is 202 with a job, which GET /sequences/{id}/forecasts/{forecastId} shows. A sequence has one job at a time: another request meanwhile gets the same.',
      params: SequenceParams,
      response: { 200: SequenceForecast, 202: ForecastJob, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }, reply) => {
      const sequence = await getSequence(db, org.id, params.id);
      const requested = await requestForecast(db, org.id, sequence, defaults);
      if (!('job' in requested)) return requested;
      return reply.code(202).send(toJob(requested.job));
    },
  });

  app.get('/sequences/:id/forecasts/:forecastId', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'getSequenceForecast',
      tags,
      summary: 'Get a forecast',
      description:
        'Returns the progress of a forecast that was answered with 202, and then what it found. It is kept for 7 days.',
      params: ForecastParams,
      response: { 200: ForecastJob, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) =>
      getForecast(db, org.id, await getSequence(db, org.id, params.id), params.forecastId),
  });

  app.post('/sequences/:id/test', {
    config: { scope: 'sequences:write' },
    schema: {
      operationId: 'testSequence',
      summary: 'Send a test of a sequence',
      tags,
      description:
        'Sends every step that can reach the address to it at once. Nobody is enrolled and no gate applies, but a blocked or suppressed address gets nothing. An address that no step can reach is a 400.',
      params: SequenceParams,
      body: TestSequence,
      response: { 201: TestSequenceAnswer, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }, reply) => {
      reply.code(201);
      return sendTest(db, org.id, { ...body, ref: params.id }, defaults);
    },
  });

  app.get('/sequences/:id/stats', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'getSequenceStats',
      summary: 'Get the statistics of a sequence',
      description:
        'Returns how many messages of each step are due, sent, delivered, failed, skipped and unknown, and how many enrollments have each status.',
      tags,
      params: SequenceParams,
      response: { 200: SequenceStats, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      const sequence = await getSequence(db, org.id, params.id);
      const [stats, audience] = await Promise.all([getStats(db, org.id, sequence), audienceOf(db, org.id, sequence)]);
      return { ...stats, audience };
    },
  });

  app.get('/sequences/:id/series', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'getSequenceSeries',
      summary: 'Count over time',
      tags,
      description:
        'Counts the deliveries of the sequence by the hour or day on which they became due, with what has become of them, by the clocks of the organization. Empty hours and days are left out.',
      params: SequenceParams,
      querystring: SeriesQuery,
      response: { 200: SequenceSeries, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) =>
      getSeries(db, org.id, await getSequence(db, org.id, params.id), query),
  });

  app.get('/sequences/:id/explain', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'explainContact',
      summary: 'Explain why a contact did not get it',
      tags,
      description:
        'Says in one answer what a contact has got of the sequence and why not the rest: contact, audience, enrollment, block, suppression, gates, deliveries. Needs contacts:read too.',
      params: SequenceParams,
      querystring: ExplainQuery,
      response: { 200: ContactExplanation, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => {
      if (!hasScope(org, 'contacts:read')) throw missingScope('contacts:read');
      return explainContact(db, org.id, await getSequence(db, org.id, params.id), { ...query, defaults });
    },
  });

  app.get('/sequences/:id/enrollments', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'listEnrollments',
      summary: 'List enrollments',
      description: 'Lists the enrollments of the sequence with their progress, in the order of enrollment.',
      tags,
      params: SequenceParams,
      querystring: ListEnrollments,
      response: { 200: EnrollmentList, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => {
      return pageOfEnrollments(db, org.id, await getSequence(db, org.id, params.id), query);
    },
  });

  app.get('/sequences/:id/enrollments/:enrollmentId', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'explainEnrollment',
      summary: 'Explain an enrollment',
      tags,
      description: 'Returns the enrollment with each step: what was sent or not and why, what comes next and when.',
      params: EnrollmentParams,
      response: { 200: ExplainedEnrollment, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => explainEnrollment(db, org.id, params.id, params.enrollmentId),
  });
};
