import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { assertTextFits } from '../../api/edge/input/text-guard.ts';
import { assertUtf8, formIn } from '../../api/edge/input/utf8.ts';
import { asPage, wantsPage } from '../../api/edge/pages/page-answers.ts';
import { pageLanguage } from '../../api/edge/pages/page-language.ts';
import { enforce } from '../../api/edge/rate-limits.ts';
import { DomainError, invalid, notFound } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { setOrg } from '../../processes/current-work.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Id } from '../../schemas/parts.ts';
import type { Json } from '../blocks/schema.ts';
import { fieldsOf } from '../json.rules.ts';
import type { FormConfiguration } from './configuration.schema.ts';
import { readFormLook } from './form-looks.service.ts';
import { type FormLook, formPage, SUBMISSION_FIELD, submittedPage, TRAP_FIELD } from './form-pages.ts';
import { FORM_LANGUAGES } from './form-words.rules.ts';
import { listedFields, MAX_FORM_BYTES, MULTIPART_TYPE, parseMultipart } from './multipart-forms.ts';
import {
  findOrReadWebhook,
  formOf,
  readWebhook,
  receiveForm,
  receiveWebhook,
  type Webhook,
  type WebhookRequest,
} from './webhooks.service.ts';

const WEBHOOK_URL = '/hooks/workflows/:workflow_id/:token';
const MAX_BODY_BYTES = 1024 * 1024;
/** The largest bodies by their types. */
const BODIES = [
  ['*', MAX_BODY_BYTES],
  [MULTIPART_TYPE, MAX_FORM_BYTES],
] as const;
const JSON_TYPE = /^application\/([\w.+-]+\+)?json\b/i;
const TEXT_TYPE = /^text\//i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i;

const WebhookPath = z.object({ workflow_id: Id, token: z.string().min(1).max(100) });
const Started = z.object({
  run_id: Id.nullable().describe('null where the workflow’s constraint does not hold.'),
});

const WEBHOOK_DESCRIPTION = `Starts a workflow by its \`webhook_url\`, which is all that a caller needs. The body is any JSON, a form's fields (one given several times is a list) or text, up to 1 MB.
A multipart form may have up to 10 files, of 5 MB together. Each is stored, and the body has its \`id\`, \`file_name\`, \`mime_type\`, \`size\` and a \`url\` that is valid for a week.
Requests with the same \`Idempotency-Key\` or \`webhook-id\`, or the same id at the workflow's \`dedupe_path\`, start one run. Where
\`trigger_configuration.secret\` is set, each must be signed: by Standard Webhooks, or with the HMAC-SHA256 of the body in hex as \`X-Signature\`.
An \`X-Signature\` does not cover headers or time: such requests are told apart by \`dedupe_path\`, else by their bodies, and the same body starts one run in 24 hours.`;
const FORM_DESCRIPTION = `Submits the form of a workflow: its fields by name, as JSON or as a browser sends them. Each field that is wrong is named. Opened in a browser, the address shows the form, and submitting it there is answered by a page, in the language of \`?lang=\` or the browser’s.`;

declare module 'fastify' {
  interface FastifyRequest {
    /** The workflow of the URL, on routes of inbound webhooks. */
    webhook: Webhook | undefined;
  }
}

/** Routes for third parties to start an org's workflows. Public: the token in the URL is the credential. */
export const inboundWebhookRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { quota, rateLimits, mediaLinks } = deps;
  app.decorateRequest('webhook', undefined);
  // Before the body is read: who does not know the address sends none.
  app.addHook('onRequest', async (request, reply) => {
    const path = WebhookPath.safeParse(request.params);
    if (!path.success) throw invalid(`The request is not valid: ${problemsOf(path.error)}`);
    const find = request.routeOptions.url === WEBHOOK_URL ? findOrReadWebhook : readWebhook;
    const webhook = await find(request.db, path.data.workflow_id, path.data.token);
    setOrg(webhook.orgId);
    quota.assertLeft(webhook.orgId);
    await enforce(rateLimits, 'standard', `hooks ${webhook.orgId}`, reply);
    request.webhook = webhook;
  });
  app.removeAllContentTypeParsers();
  // As they are: signatures are of their bytes.
  for (const [type, bodyLimit] of BODIES)
    app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));

  app.post(WEBHOOK_URL, {
    config: { scope: 'public', limitedBy: 'refusals' },
    schema: {
      operationId: 'startWorkflowByWebhook',
      summary: 'Start a workflow by its webhook',
      tags: ['workflows'],
      description: WEBHOOK_DESCRIPTION,
      params: WebhookPath,
      response: { 202: Started, ...errorResponses(403, 404, 409) },
    },
    handler: async (request, reply) => {
      const run_id = await receiveWebhook(request.db, deps, webhookOf(request), await parseRequest(request));
      reply.code(202);
      return { run_id };
    },
  });

  app.get(
    '/hooks/forms/:workflow_id/:token',
    { config: { scope: 'public', limitedBy: 'address' }, schema: { params: WebhookPath, hide: true } },
    async (request, reply) => {
      const webhook = webhookOf(request);
      const form = formOf(webhook);
      const look = await lookOf(request, mediaLinks, webhook);
      return asPage(reply, look.brand).send(formPage({ ...look, form, submissionId: newId() }));
    },
  );

  app.post('/hooks/forms/:workflow_id/:token', {
    config: { scope: 'public', limitedBy: 'address' },
    schema: {
      operationId: 'submitWorkflowForm',
      summary: 'Submit a form of a workflow',
      tags: ['workflows'],
      description: FORM_DESCRIPTION,
      params: WebhookPath,
      response: { 202: Started, ...errorResponses(404, 409) },
    },
    handler: async (request, reply) => {
      const { form, ...sent } = await parseRequest(request);
      const given = form === undefined ? sent.content : await form(refuseFile);
      const isOfBrowser = form !== undefined || FORM_TYPE.test(sent.headers['content-type'] ?? '');
      const content = isOfBrowser ? lastValues(given) : given;
      const submissionId = isOfBrowser ? submissionIdOf(content) : undefined;
      const webhook = webhookOf(request);
      const isRefused = isOfBrowser && isTrapped(content);
      const receive = async () => {
        if (isRefused) throw refuseTrapped();
        const key = submissionId === undefined ? undefined : `page ${submissionId}`;
        return receiveForm(request.db, webhook, { ...sent, content, submissionId: key });
      };
      if (wantsPage(request)) {
        const look = await lookOf(request, mediaLinks, webhook);
        const submitted = { values: content, isTrapped: isRefused, submissionId };
        return asFormPage(reply, { look, form: formOf(webhook), submitted, receive });
      }
      const run_id = await receive();
      reply.code(202);
      return { run_id };
    },
  });
};

function webhookOf({ webhook }: Pick<FastifyRequest, 'webhook'>): Webhook {
  if (webhook === undefined) throw notFound('workflow address');
  return webhook;
}

/** Returns how the page of a form looks to whoever asks for it. */
function lookOf(request: FastifyRequest, links: MediaLinks, webhook: Webhook): Promise<FormLook> {
  const language = pageLanguage(request, FORM_LANGUAGES, webhook.orgLanguage);
  return readFormLook(request.db, links, webhook, language);
}

interface Submission {
  look: FormLook;
  form: FormConfiguration;
  submitted: { values: Json; isTrapped: boolean; submissionId: string | undefined };
  receive: () => Promise<unknown>;
}

/** Answers the submission of a hosted form by a page: thanks, or the form with what is wrong in it. */
async function asFormPage(reply: FastifyReply, { look, form, submitted, receive }: Submission): Promise<FastifyReply> {
  try {
    await receive();
    return asPage(reply, look.brand).code(202).send(submittedPage(look, form));
  } catch (error) {
    if (!(error instanceof DomainError) || error.issues === undefined) throw error;
    const page = formPage({ ...look, form, submissionId: submitted.submissionId ?? newId(), submitted });
    return asPage(reply, look.brand).code(400).send(page);
  }
}

/** Returns what was sent. Throws invalid if the body is not what its Content-Type says. */
async function parseRequest(request: Pick<FastifyRequest, 'headers' | 'query' | 'body'>): Promise<WebhookRequest> {
  const { headers, query } = request;
  const type = headers['content-type'] ?? '';
  const body = Buffer.isBuffer(request.body) ? request.body : undefined;
  const sent = { headers, query, body: body ?? Buffer.alloc(0) };
  if (MULTIPART_TYPE.test(type)) return { ...sent, content: null, form: await parseMultipart(type, sent.body) };
  if (body === undefined) return { ...sent, content: JSON_TYPE.test(type) ? {} : null };
  const content = parseContent(type, body);
  assertTextFits({ body: content });
  return { ...sent, content };
}

const problemsOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `params.${path.join('.')}: ${message}`).join('; ');

/** No field of a form trigger takes a file. */
const refuseFile = async (): Promise<never> => {
  throw invalid('The request is not valid: body: has a file, and no field of the form accepts one');
};

/** Returns the id that the hosted page gave the submission: the same fields sent twice from it are one submission. */
function submissionIdOf(content: Json): string | undefined {
  const id = fieldsOf(content)[SUBMISSION_FIELD];
  return typeof id === 'string' && isUuid(id) ? id : undefined;
}

/** Whether a field was filled that people do not see. */
const isTrapped = (content: Json): boolean => (fieldsOf(content)[TRAP_FIELD] ?? '') !== '';

const TRAPPED = 'was filled. People do not see this field: leave it empty';
const refuseTrapped = () =>
  invalid(`The request is not valid: body.${TRAP_FIELD}: ${TRAPPED}`, [
    { path: `body.${TRAP_FIELD}`, message: 'A hidden field was filled. Send the form again.' },
  ]);

/** Returns the last value of each field that a browser has sent several times, such as a checkbox behind its default. */
const lastValues = (content: Json): Json =>
  Object.fromEntries(
    Object.entries(fieldsOf(content)).map(([name, value]) => [
      name,
      Array.isArray(value) ? (value.at(-1) ?? null) : value,
    ]),
  );

function parseContent(type: string, body: Buffer): Json {
  const text = body.toString('utf8');
  if (JSON_TYPE.test(type) || FORM_TYPE.test(type) || TEXT_TYPE.test(type)) assertUtf8(body);
  if (FORM_TYPE.test(type)) return listedFields(formIn(text));
  if (!JSON_TYPE.test(type)) return text;
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The request is not valid: body: is not JSON, as its Content-Type says');
  }
}
