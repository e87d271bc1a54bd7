import { STATUS_CODES } from 'node:http';
import { type Answer, type ApiDocument, JSON_TYPE, nameOfRef, operationsOf } from './document.ts';

/** What fastify writes where a route's schema says nothing about an answer. */
const UNDESCRIBED = 'Default Response';
/** The errors that any request can meet, by the range that stands for them in the document. */
export const STATUSES_OF_RANGE: Record<string, string[]> = {
  '4XX': ['401', '413', '415', '422', '429'],
  '5XX': ['500', '503'],
};
const RANGES = Object.entries(STATUSES_OF_RANGE);
const MEANINGS: Record<string, string> = {
  '200': 'Done.',
  '201': 'Created.',
  '202': 'Accepted. The work continues after this answer.',
  '204': 'Done. No body.',
  '302': 'The address is in `Location`.',
  '400': 'The request is not valid. `issues` names every problem with its path.',
  '403': 'The key or role does not include the scope, or the resource belongs to others.',
  '404': 'There is no such resource in the organization.',
  '409': 'The request is in conflict with what is stored. The message names it.',
  '410': 'It existed and is gone.',
  '412': 'It has changed since it was read.',
  '4XX': [
    '401: the key or session is missing, malformed, expired or revoked.',
    '413: the body or a file in it is too large.',
    '415: the content type is not accepted; the message names those that are.',
    '422: the request is understood and cannot be carried out, or its `Idempotency-Key` was used for another.',
    '429: a limit is reached; `Retry-After` says in how many seconds to try again.',
  ].join(' '),
  '5XX': [
    '500: a fault on our side; `X-Request-Id` finds it in the logs.',
    '503: the service is busy or a part of it is away; `Retry-After` says when to try again.',
  ].join(' '),
};
const NAMES: Record<string, string> = { '4XX': 'Refused', '5XX': 'Unavailable' };
const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } });
const RETRY_AFTER = { 'Retry-After': integerHeader('Seconds until a retry makes sense.') };
const LIMITS = {
  'X-RateLimit-Limit': integerHeader('The most requests in a minute.'),
  'X-RateLimit-Remaining': integerHeader('How many are left of them.'),
  'X-RateLimit-Reset': integerHeader('Seconds until all are free again.'),
};
const HEADERS: Record<string, Answer['headers']> = { '4XX': { ...RETRY_AFTER, ...LIMITS }, '5XX': RETRY_AFTER };

/** Describes every answer. Those of errors become components, as they are the same for all operations. */
export function describeAnswers(document: ApiDocument): void {
  const shared: Record<string, Answer> = {};
  for (const { operation } of operationsOf(document))
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses ?? {}).map(([status, answer]) => describedAnswer(status, answer, shared)),
    );
  document.components.responses = shared;
}

function describedAnswer(status: string, answer: Answer, shared: Record<string, Answer>): [string, Answer] {
  const { content, ...rest } = answer;
  if (nameOfRef(content?.[JSON_TYPE]?.schema ?? {}) !== 'Error')
    return [
      status,
      { ...rest, description: descriptionOf(status, answer), ...(status !== '204' && content && { content }) },
    ];
  const [key] = RANGES.find(([, statuses]) => statuses.includes(status)) ?? [status];
  const name = NAMES[key] ?? (STATUS_CODES[Number(status)] ?? status).replace(/\W/g, '');
  shared[name] ??= { description: descriptionOf(key, {}), ...(HEADERS[key] && { headers: HEADERS[key] }), content };
  return [key, { $ref: `#/components/responses/${name}` }];
}

/** Returns the description of the answer, of its schema, or of the status. */
function descriptionOf(status: string, { description = UNDESCRIBED, content }: Answer): string {
  if (description !== UNDESCRIBED) return description;
  return content?.[JSON_TYPE]?.schema?.description ?? MEANINGS[status] ?? STATUS_CODES[Number(status)] ?? status;
}
