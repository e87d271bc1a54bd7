import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { asPage } from '../../api/edge/pages/page-answers.ts';
import { notFound } from '../../errors.ts';
import { type AnsweredPage, answerSurvey, showSurvey } from './answers.service.ts';
import { SurveyForm, SurveyPath } from './schema.ts';

const config = { scope: 'public', limitedBy: 'address' } as const;
/** The longest comment, with every character escaped. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * The public page of a survey. GET only shows it, as previews and scanners follow links. POST answers, by the page's form.
 */
export const surveyRoutes: FastifyPluginAsyncZod<Deps> = async (app, { surveyLinks, mediaLinks }) => {
  const surveyOf = (token: string) => {
    const ref = surveyLinks.read(token);
    if (ref === undefined) throw notFound('survey');
    return { orgId: ref.orgId, surveyId: ref.deliveryId };
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, formOf(String(body))),
  );

  app.get('/csat/:token', { config, schema: { params: SurveyPath, hide: true } }, async ({ db, params }, reply) =>
    send(reply, await showSurvey(db, mediaLinks, surveyOf(params.token))),
  );

  app.post(
    '/csat/:token',
    { config, schema: { params: SurveyPath, body: SurveyForm, hide: true } },
    async ({ db, params, body }, reply) =>
      send(reply, await answerSurvey(db, mediaLinks, surveyOf(params.token), body)),
  );
};

/** Returns all values of the fields. Browsers send line breaks as two characters, and count them as one. */
function formOf(body: string) {
  const form = new URLSearchParams(body);
  return {
    score: form.getAll('score'),
    comment: form.getAll('comment').map((text) => text.replaceAll('\r\n', '\n')),
  };
}

function send(reply: FastifyReply, { status, html, brand }: AnsweredPage): string {
  asPage(reply, brand).code(status);
  return html;
}
