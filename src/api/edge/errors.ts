import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { isDatabaseUnavailable, isDataException, isLockTimeout, isStatementTimeout } from '../../db/failures.ts';
import { codeOfStatus } from '../../error-codes.ts';
import { DomainError, type ErrorKind, NotSeen, ProviderError, TooManyRequests } from '../../errors.ts';
import { loggableText } from '../../logging/loggable.rules.ts';
import { measured } from '../../processes/measurements.ts';
import type { ErrorAnswer } from '../../schemas/error-answers.ts';
import { asPage, errorPage, wantsPage } from './pages/page-answers.ts';

const STATUS_OF: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  changed: 412,
  too_large: 413,
  unsupported: 415,
  unprocessable: 422,
  unavailable: 503,
};
const RETRY_AFTER_SECONDS = 5;
const UNSPECIFIC_MESSAGE = 'Invalid input';

interface UnionIssue {
  errors?: (UnionIssue & { message: string; path: PropertyKey[] })[][];
}

export const errorAnswer = (statusCode: number, message: string, more: Partial<ErrorAnswer> = {}): ErrorAnswer => ({
  statusCode,
  message,
  error: STATUS_CODES[statusCode] ?? 'Error',
  code: codeOfStatus(statusCode),
  ...more,
});

/** Turns every error into an answer; no other code does. */
export const handleErrors = fastifyPlugin(async (app: FastifyInstance) => {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = withAcceptedTypes(answerTo(error), request);
    if (error instanceof DomainError && answer.statusCode >= 500)
      request.log.warn({ reason: loggableText(error.message) }, 'the request was postponed');
    else if (answer.statusCode >= 500) request.log.error({ err: error }, 'request failed');
    if (error instanceof TooManyRequests)
      measured('limit-reached', { limit: error.reached.limit ?? error.reached.code });
    reply.headers(errorHeaders(error, answer.statusCode));
    return sendError(request, reply, answer);
  });
});

/** The types of bodies that a route takes if it names no other ones, and if it has a parser for them. */
const TYPES = ['application/json', 'application/x-www-form-urlencoded'];

/** Adds the types that a route takes to the refusal of another one. */
function withAcceptedTypes(answer: ErrorAnswer, { routeOptions, server }: FastifyRequest): ErrorAnswer {
  if (answer.statusCode !== 415 || !answer.message.startsWith('Unsupported Media Type')) return answer;
  const { consumes = TYPES.filter((type) => server.hasContentTypeParser(type)) } = (routeOptions.schema ?? {}) as {
    consumes?: string[];
  };
  return { ...answer, message: `${answer.message}. Send ${consumes.join(' or ')}` };
}

/** Sends the answer to an error: as a page to clients that prefer one, else as JSON. */
export const sendError = (request: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer): FastifyReply =>
  reply.code(answer.statusCode).send(bodyOfError(request, reply, answer));

/** Returns the body of an error's answer, and sets the headers that describe it. */
export function bodyOfError(request: FastifyRequest, reply: FastifyReply, answer: ErrorAnswer): string {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'accept' : `${String(vary)}, accept`);
  if (wantsPage(request)) {
    asPage(reply);
    return errorPage(answer);
  }
  reply.type('application/json; charset=utf-8');
  return JSON.stringify(answer);
}

/** Returns the headers of an error's answer: when to try again, or how to authenticate. */
export function errorHeaders(error: unknown, statusCode: number): Record<string, string | number> {
  if (error instanceof TooManyRequests) return { 'retry-after': error.retryAfterSeconds };
  if (statusCode === 503) return { 'retry-after': RETRY_AFTER_SECONDS };
  return statusCode === 401 ? { 'www-authenticate': 'Bearer' } : {};
}

/** Returns the answer for an error. It never contains SQL, a stack or another org's data. */
export function answerTo(error: FastifyError | DomainError | TooManyRequests | NotSeen): ErrorAnswer {
  if (error instanceof DomainError)
    return errorAnswer(STATUS_OF[error.kind], error.message, {
      ...(error.issues && { issues: error.issues }),
      ...error.details,
    });
  if (hasZodFastifySchemaValidationErrors(error)) {
    const context = error.validationContext === 'querystring' ? 'query' : (error.validationContext ?? 'body');
    const issues = error.validation.map(({ instancePath, message = 'is not valid', params }) => ({
      path: [context, ...instancePath.split('/').filter((part) => part !== '')].join('.'),
      message: message === UNSPECIFIC_MESSAGE ? messageOfUnion(params) : message,
    }));
    const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return errorAnswer(400, `The request is not valid: ${summary.slice(0, 500)}`, { issues });
  }
  if (error instanceof NotSeen)
    return Object.assign(errorAnswer(409, error.message, { code: error.code }), { items: error.items });
  if (error instanceof TooManyRequests) return errorAnswer(429, error.message, error.reached);
  if (isLockTimeout(error))
    return errorAnswer(503, 'Another change of it is taking long: try again soon', { code: 'locked' });
  if (isDatabaseUnavailable(error))
    return errorAnswer(503, 'The database is away: try again soon', { code: 'database_away' });
  if (isStatementTimeout(error))
    return errorAnswer(503, 'This took too long: ask for less at once, or try again later', { code: 'too_slow' });
  if (isDataException(error)) return errorAnswer(400, 'A value is outside of what can be stored');
  if (error instanceof ProviderError && error.transient) {
    return errorAnswer(503, 'A service behind this one is away: try again soon', { code: 'provider_away' });
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return errorAnswer(status, error.message);
  if (status === 503) return errorAnswer(503, 'The service is busy: try again soon');
  return errorAnswer(500, 'Something went wrong on our side; the request id in X-Request-Id finds it in the logs');
}

/** Returns the demands of a union's alternatives: zod itself only says "no alternative fits". */
function messageOfUnion({ errors = [] }: UnionIssue): string {
  const demands = errors.flatMap(([first]) => {
    if (first === undefined) return [];
    const message = first.message === UNSPECIFIC_MESSAGE ? messageOfUnion(first) : first.message;
    return [first.path.length === 0 ? message : `${first.path.join('.')}: ${message}`];
  });
  return demands.length === 0 ? UNSPECIFIC_MESSAGE : [...new Set(demands)].join(', or ');
}
