import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Calibration } from './schema.ts';
import { getCalibration, requestCalibration } from './service.ts';

const tags = ['autopilot'];

/** Routes of the calibration of answers. */
export const calibrationRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/calibration', {
    config: { scope: 'autopilot:read' },
    schema: {
      operationId: 'getAutopilotCalibration',
      tags,
      summary: 'Get the calibration of answers',
      description:
        'Returns from which confidence on the AI gives a quote as an answer, and how that was measured: words of the organization’s own passages are asked as questions, once while their item is hidden. Votes, and handoffs right after answers, then move it. It is measured when autopilot is turned on, each day where it is on, and after a fifth of the passages has changed.',
      response: { 200: Calibration, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => getCalibration(db, org.id),
  });

  app.post('/autopilot/calibration/run', {
    config: { scope: 'autopilot:write' },
    schema: {
      operationId: 'runAutopilotCalibration',
      tags,
      summary: 'Calibrate answers now',
      description:
        'Requests a measurement and answers at once; `measured_at` changes when it is done. It is useful after a large change of the knowledge.',
      response: { 200: Calibration, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => {
      await requestCalibration(db, org.id);
      return getCalibration(db, org.id);
    },
  });
};
