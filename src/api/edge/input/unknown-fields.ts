import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { z } from 'zod';
import { invalid } from '../../../errors.ts';
import { readSettings } from '../../../orgs/service.ts';
import { unknownName } from '../../../schemas/names.ts';
import { confirmPreference, preferenceOf } from '../prefer.ts';
import { hasField, type UnknownField, unknownFieldsIn } from './unknown-names.ts';

const MAX_HEADER_LENGTH = 1_000;
const EMPTY_SCHEMA = z.object({});

/**
 * Refuses fields and query parameters that an operation does not know, as a misspelt one would be dropped in silence.
 * With `Prefer: handling=lenient` (RFC 7240) or the org's setting `lenient_input` they are ignored, and the answer
 * names them. Public operations ignore them: their callers are programs of others. What a GET answers can be sent back to
 * the same path: its fields that cannot be written are ignored, and named. Without its `id` a body is none that was read:
 * who names such a field wants to change it, and gets a 400.
 */
export const refuseUnknownFields = fastifyPlugin(async (app: FastifyInstance) => {
  app.addHook('preValidation', async (request) => {
    request.given = { query: request.query, body: request.body };
  });
  const answers = new Map<string, z.ZodType>();
  app.addHook('onRoute', (route) => {
    const { scope, takesUnknownFields, readIn } = route.config ?? {};
    const answer = answerTo(route);
    if (answer !== undefined) answers.set(route.url, answer);
    if (scope === undefined || scope === 'public' || takesUnknownFields === true) return;
    const query = schemaOf(route.schema?.querystring);
    const body = route.schema?.consumes === undefined ? schemaOf(route.schema?.body) : undefined;
    const isUnwritable = (field: UnknownField, given: unknown) =>
      isRead(field, given, { answer: answers.get(route.url), forms: [[], ...LISTS], readIn }) ||
      isRead(field, given, { answer: answers.get(pathAbove(route.url)), forms: LISTS, readIn });
    const check = async (request: FastifyRequest, reply: Answered) => {
      const { given, method } = request;
      const unknown = [
        ...(query === undefined ? [] : unknownFieldsIn(query, 'query', given.query, parsedBy(query, request.query))),
        ...(body === undefined ? [] : unknownFieldsIn(body, 'body', given.body, parsedBy(body, request.body))),
      ];
      const unwritable = REPLACING.includes(method) ? unknown.filter((field) => isUnwritable(field, given.body)) : [];
      const others = unknown.filter((field) => !unwritable.includes(field));
      if (unwritable.length > 0) nameIgnored(reply, unwritable);
      if (others.length > 0 && !(await allowUnknownFields(request, reply, unknown))) throw unknownFields(others);
    };
    route.preHandler = [check, ...[route.preHandler ?? []].flat()];
  });
});

/** The methods that take what GET of the same path answers, or lists at the path above. */
const REPLACING = ['PUT', 'PATCH'];

/** Returns the schema of what a route answers to GET. */
function answerTo({ method, schema }: RouteOptions): z.ZodType | undefined {
  const { 200: answer } = (schema?.response ?? {}) as Record<number, unknown>;
  return [method].flat().includes('GET') && answer instanceof z.ZodType ? answer : undefined;
}

const pathAbove = (url: string) => url.slice(0, url.lastIndexOf('/'));

/** Where lists have their items. */
const LISTS = [[0], ['items', 0]];

interface Reading {
  answer: z.ZodType | undefined;
  forms: (string | number)[][];
  readIn: string | undefined;
}

/** Whether a field of a body is one that a GET answers, at the same place, and the body has the id that it answers. */
function isRead(
  { trail: [part, ...inside] }: UnknownField,
  given: unknown,
  { answer, forms, readIn }: Reading,
): boolean {
  if (answer === undefined || part !== 'body' || (readIn !== undefined && inside[0] !== readIn)) return false;
  const field = readIn === undefined ? inside : inside.slice(1);
  const read = readIn === undefined ? given : (given as Record<string, unknown>)[readIn];
  const hasId = typeof read === 'object' && read !== null && 'id' in read;
  return forms.some((form) => hasField(answer, [...form, ...field]) && (hasId || !hasField(answer, [...form, 'id'])));
}

/** Returns the schema of a part of a route. Undefined if it is not validated by zod. */
function schemaOf(schema: unknown): z.ZodType | undefined {
  if (schema === undefined) return EMPTY_SCHEMA;
  return schema instanceof z.ZodType ? schema : undefined;
}

/** A part without a schema was not parsed: it should be empty. */
const parsedBy = (schema: z.ZodType, value: unknown) => (schema === EMPTY_SCHEMA ? {} : value);

type Answered = Pick<FastifyReply, 'getHeader' | 'header'>;

/** Returns whether the caller wants unknown fields to be ignored. The answer then names them. */
export async function allowUnknownFields(
  request: FastifyRequest,
  reply: Answered,
  fields: { path: string }[],
): Promise<boolean> {
  const prefers = preferenceOf(request.headers, 'handling') === 'lenient';
  if (!prefers && !(await isLenient(request))) return false;
  if (prefers) confirmPreference(reply, 'handling=lenient');
  nameIgnored(reply, fields);
  return true;
}

function nameIgnored(reply: Answered, fields: { path: string }[]): void {
  const names = fields.map(({ path }) => encodeURIComponent(path)).join(', ');
  reply.header('x-ignored-fields', names.slice(0, MAX_HEADER_LENGTH));
}

const isLenient = async ({ org, db }: FastifyRequest): Promise<boolean> =>
  org !== null && (await readSettings(db, org.id)).lenient_input === true;

function unknownFields(fields: UnknownField[]) {
  const issues = fields.map(({ path, nearest }) => ({ path, message: messageOf(path, nearest) }));
  const summary = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  return invalid(`The request is not valid: ${summary.slice(0, 500)}`, issues);
}

function messageOf(path: string, nearest: string | undefined): string {
  return nearest !== undefined && path.endsWith(`.${nearest}`)
    ? 'does not go with the other fields given here'
    : unknownName(nearest);
}
