import fc from 'fast-check';
import { type FakeFareHarbor, startFakeFareHarbor } from '../support/fakes/fareharbor.ts';
import { type Answer, startApi, type TestApi } from '../support/stack/api.ts';
import { type Document, type Operation, type Place, pathTo, readDocument } from './document.ts';
import { call } from './filling.ts';
import { hostileValues, MALFORMED_JSON, NUL_TEXT, ODD_JSON, STRANGE_TEXTS } from './hostile.ts';
import { NOWHERE } from './nowhere.ts';
import { inParallel } from './parallel.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const TIMEOUT_MS = IS_LONG ? 3_600_000 : 600_000;
const RANDOM_BODIES = IS_LONG ? 1_000 : 25;
/** For a path that is unknown or too long, answered before routing. */
const STATUSES_OF_ANY_PATH = [404, 414];
/** The largest bodies with files, in bytes. */
const LIMITS_OF_FILES: Record<string, number> = {
  'POST /chat/sessions/{id}/send': 8 * 1024 * 1024,
  'PUT /help-center/content': 10 * 1024 * 1024,
};
const SOME_ID = '00000000-0000-4000-8000-000000000000';

let api: TestApi;
let fareHarbor: FakeFareHarbor;
let document: Document;
/** One id of each kind, so that bodies are validated and not only the path. */
let known: Record<string, string>;

beforeAll(async () => {
  fareHarbor = await startFakeFareHarbor();
  api = await startApi({
    env: { FAREHARBOR_BASE_URL: fareHarbor.url },
    deps: {
      checkIntegration: async () => ({ connected: false, message: 'not tried' }),
      dns: { resolveTxt: async () => [] },
      egress: NOWHERE,
      maxWaitMs: 10,
    },
  });
  document = readDocument((await api.client().get('/openapi.json')).body);
  known = await makeOneOfEach();
}, TIMEOUT_MS);

afterAll(async () => {
  await api.close();
  await fareHarbor.close();
});

/** Whether a body lets the org take unknown fields: then nothing else would be refused as the document says. */
const makesLenient = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'lenient_input' in body && body.lenient_input === true;

describe('a request body', () => {
  it(
    'is refused, naming the field and the required change, or stored as data, for any value in any field',
    async () => {
      const cases = withBody().flatMap((operation) =>
        newPlaces(operation).flatMap((place, nthPlace) => [
          ...someOf(hostileValues(document, place.schema), nthPlace).map((value) => ({
            operation,
            place,
            body: place.put(value),
          })),
          ...(place.leaveOut === undefined ? [] : [{ operation, place, body: place.leaveOut() }]),
        ]),
      );
      expect(cases.length).toBeGreaterThan(IS_LONG ? 5_000 : 900);
      const wrong = await inParallel(
        cases.filter(({ body }) => !makesLenient(body)),
        async ({ operation, place, body }) => {
          const answer = await send(operation, body);
          const problem = wrongWith(answer, operation) ?? wrongRefusal(answer, operation, place, body);
          return problem === undefined ? undefined : `${operation.name} ${shown(body)} answers ${problem}`;
        },
      );
      expect(wrong).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'never breaks a route if it is random JSON',
    async () => {
      const seed = Date.now();
      for (const operation of withBody()) {
        const bodies = fc.sample(fc.jsonValue({ maxDepth: 6, noUnicodeString: false } as object), {
          numRuns: RANDOM_BODIES,
          seed,
        });
        const wrong = await inParallel(bodies, async (body) => {
          const problem = wrongWith(await send(operation, body), operation);
          return problem === undefined
            ? undefined
            : `seed ${seed}: ${operation.name} ${shown(body)} answers ${problem}`;
        });
        expect(wrong).toEqual([]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'never breaks a route if it has random values in known fields',
    async () => {
      const seed = Date.now();
      for (const operation of withBody()) {
        const names = Object.keys(document.resolve(operation.body ?? {}).properties ?? {});
        const record = fc.record(Object.fromEntries(names.map((name) => [name, fc.jsonValue({ maxDepth: 3 })])), {
          requiredKeys: [],
        });
        const wrong = await inParallel(fc.sample(record, { numRuns: RANDOM_BODIES, seed }), async (body) => {
          const problem = wrongWith(await send(operation, body), operation);
          return problem === undefined
            ? undefined
            : `seed ${seed}: ${operation.name} ${shown(body)} answers ${problem}`;
        });
        expect(wrong).toEqual([]);
      }
    },
    TIMEOUT_MS,
  );

  it('is a 4xx with the reason if it is malformed or malicious JSON', async () => {
    const broken = [...MALFORMED_JSON, ...Object.values(ODD_JSON), '', ' ', '"text"', '5', 'true', '[]'];
    const wrong = await inParallel(
      withBody().flatMap((operation) => broken.map((body) => ({ operation, body }))),
      async ({ operation, body }) => {
        const answer = await sendRaw(operation, body);
        const isRefused = answer.status >= 400 || !MALFORMED_JSON.includes(body);
        const problem = wrongWith(answer, operation) ?? (isRefused ? undefined : 'taken');
        return problem === undefined ? undefined : `${operation.name} ${body.slice(0, 40)} answers ${problem}`;
      },
    );
    expect(wrong).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('is refused with the right status if it is deeply nested, of another type or too large', async () => {
    for (const operation of withBody()) {
      const deep = await sendRaw(operation, ODD_JSON.deepObject);
      expect(`${operation.name} ${deep.status}`).toBe(`${operation.name} 400`);
      expect(deep.body.message).toMatch(/nested deeper than|expected|fareharbor/i);

      const large = await send(operation, { x: 'x'.repeat(LIMITS_OF_FILES[operation.name] ?? 1024 * 1024) });
      expect(`${operation.name} ${large.status}`).toBe(`${operation.name} 413`);

      for (const type of [
        'text/plain',
        'application/xml',
        'application/octet-stream',
        'nonsense',
        'multipart/form-data',
      ]) {
        const { status } = await sendRaw(operation, '{}', { 'content-type': type });
        expect(`${operation.name} as ${type} ${status}`).toMatch(/ 415$/);
      }
    }
  });
});

describe('the query and path of a request', () => {
  it(
    'are refused, naming the parameter, or used as data, for any value of any parameter',
    async () => {
      const texts = [
        ...STRANGE_TEXTS,
        '',
        '0',
        '-1',
        '1.5',
        '101',
        '99999999999999999999',
        'Infinity',
        '[]',
        '{}',
        NUL_TEXT,
        'x'.repeat(600),
        'x'.repeat(6_000),
      ];
      const cases = document.operations.flatMap((operation) =>
        [...operation.queryParameters, ...operation.pathParameters].flatMap((parameter, nthParameter) =>
          someOf(texts, nthParameter + operation.name.length).map((text) => ({ operation, parameter, text })),
        ),
      );
      const wrong = await inParallel(cases, async ({ operation, parameter, text }) => {
        const isInPath = parameter.in === 'path';
        const path = pathTo(
          operation,
          isInPath ? { ...pathValues(operation), [parameter.name]: text } : pathValues(operation),
        );
        const query = isInPath ? '' : `?${parameter.name}=${encodeURIComponent(text)}`;
        const answer = await call(clientOf(operation), operation, path + query, document.bodiesOf(operation)[0]);
        const isNumber = [parameter.schema.type].flat().some((type) => type === 'integer' || type === 'number');
        const isAllowed = isNumber
          ? document.allows(parameter.schema, Number(text))
          : document.allows(parameter.schema, text);
        const isRefused = isAllowed || answer.status >= 400;
        const problem = wrongWith(answer, operation) ?? (isRefused ? undefined : `${answer.status} though not allowed`);
        return problem === undefined
          ? undefined
          : `${operation.name} ${parameter.name}=${shown(text)} answers ${problem}`;
      });
      expect(wrong).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('are a 4xx if parameters are repeated or mangled', async () => {
    const lists = document.operations.filter(({ queryParameters }) => queryParameters.length > 0);
    const wrong = await inParallel(lists, async (operation) => {
      const path = pathTo(operation, pathValues(operation));
      for (const { name, schema } of operation.queryParameters) {
        const value = encodeURIComponent(String(document.sample(schema, name)));
        for (const query of [
          `${name}=${value}&${name}=${value}`,
          `${name}[]=${value}`,
          `${name}[a]=${value}`,
          `${name}=%E0%A4%A`,
          `${name}=%00`,
          '__proto__=x&constructor=y',
          '&&&==&',
        ]) {
          const answer = await call(clientOf(operation), operation, `${path}?${query}`);
          const problem = wrongWith(answer, operation);
          if (problem !== undefined) return `${operation.name}?${query} answers ${problem}`;
        }
      }
      return undefined;
    });
    expect(wrong).toEqual([]);
    for (const path of [
      '/contacts/%00',
      '/contacts/%E0%A4%A',
      '/contacts/%',
      '//',
      '/contacts//',
      '/contacts/..%2f..%2fetc',
      `/${'x'.repeat(10_000)}`,
    ]) {
      const { status, body } = await api.org.get(path);
      expect(`${path.slice(0, 30)} ${status} ${body.statusCode}`).toMatch(/ (4\d\d) \1$/);
    }
  });
});

const withBody = () => document.operations.filter(({ body }) => body !== undefined);

const clientOf = ({ key }: Operation) => (key === 'partner' ? api.partner : key === 'org' ? api.org : api.client());

const pathValues = ({ pathParameters }: Operation) =>
  Object.fromEntries(pathParameters.map(({ name, schema }) => [name, String(schema.enum?.[0] ?? SOME_ID)]));

const send = (operation: Operation, value: unknown) => sendRaw(operation, JSON.stringify(value));

const sendRaw = (operation: Operation, body: string, headers?: Record<string, string>): Promise<Answer> => {
  const path = pathTo(operation, { ...pathValues(operation), ...own(operation) });
  const method = operation.method.toLowerCase() as 'post' | 'put' | 'patch';
  return clientOf(operation)[method](path, body, { headers });
};

/** Returns the org's own id for the path's first parameter. */
function own({ path, pathParameters: [first] }: Operation): Record<string, string> {
  const id =
    known[
      path
        .split('/')
        .slice(
          1,
          path.split('/').findIndex((part) => part.startsWith('{')),
        )
        .join('/')
    ];
  return first === undefined || id === undefined ? {} : { [first.name]: id };
}

/** Creates one resource for each collection's path from the example of its creating route. */
async function makeOneOfEach(): Promise<Record<string, string>> {
  const made: Record<string, string> = { 'partner/v1/orgs': api.org.id };
  for (const operation of document.operations.filter(({ method, path }) => method === 'POST' && !path.includes('{'))) {
    const { body } = await call(clientOf(operation), operation, operation.path, document.bodiesOf(operation)[0]);
    if (typeof body?.id === 'string' && operation.key === 'org') made[operation.path.slice(1)] = body.id;
  }
  await api.partner.post(`/partner/v1/orgs/${api.org.id}/login-links`, { email: 'ann@example.com' });
  made.members = String((await api.org.get('/members')).body[0].id);
  return made;
}

/**
 * Returns every third value in turn, so that three places of the same kind cover all of them. The long tier uses all
 * values at each.
 */
const someOf = <Value>(values: Iterable<Value>, nthPlace: number): Value[] =>
  [...values].filter((_, nth) => IS_LONG || (nth + nthPlace) % 5 === 0);

const seen = new Set<string>();

/**
 * Returns the places in the operation's bodies. The same field deep inside of several bodies counts once; the long tier
 * uses all of them.
 */
function newPlaces(operation: Operation): Place[] {
  const { body } = operation;
  if (body === undefined) return [];
  const all = document.bodiesOf(operation).flatMap((base) => [...document.places(body, base)]);
  return all.filter(({ path, schema, put }) => {
    const where =
      path.length > 2 && !IS_LONG
        ? path
            .slice(-2)
            .join('.')
            .replace(/^\d+\./, '')
        : path.join('.');
    const whose = path.length > 2 && !IS_LONG ? '' : `${operation.name} ${IS_LONG ? JSON.stringify(put('?')) : ''}`;
    const place = `${whose} ${where} ${JSON.stringify(schema)}`;
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

/** Returns the fault of any answer: an internal error, an undocumented status, or an error in another format. */
function wrongWith({ status, body, headers }: Answer, operation: Operation): string | undefined {
  const said = `${status} ${JSON.stringify(body).slice(0, 300)}`;
  if (status >= 500) return said;
  if (!operation.statuses.includes(status) && !STATUSES_OF_ANY_PATH.includes(status)) {
    return `${said}, a status that the document does not know`;
  }
  if (status < 400) return undefined;
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  const isError =
    isJson && body.statusCode === status && typeof body.message === 'string' && typeof body.error === 'string';
  if (!isError || body.message === '') return `${said}, not in the shape of an error`;
  if (/node_modules|\bat \w+ \(|relation "|violates|syntax error at/i.test(body.message))
    return `${said}, which tells of our insides`;
  return undefined;
}

/** Returns the fault of the answer to a disallowed body: it must name the field, and say how to fix it. */
function wrongRefusal(
  { status, body: answer }: Answer,
  operation: Operation,
  { path }: Place,
  body: unknown,
): string | undefined {
  const isAllowed = operation.body !== undefined && document.allows(operation.body, body) && isText(body);
  if (isAllowed) return undefined;
  const said = `${status} ${JSON.stringify(answer).slice(0, 300)}`;
  if (status < 400) return `${said}, though the document does not allow it`;
  if (status === 413 && JSON.stringify(body).length > 500_000) return undefined;
  if (status !== 400) return `${said}, not 400`;
  const issues: { path: string; message: string }[] = answer.issues ?? [];
  const place = ['body', ...path].join('.');
  const named = issues.filter((issue) => isAlong(issue.path.replace(/ \(the name\)$/, ''), place));
  if (named.length === 0) return `${said}, which does not name ${place}`;
  if (named.some(({ message }) => message.length < 8 || message === 'Invalid input'))
    return `${said}, which does not say what to change`;
  return undefined;
}

/**
 * Returns whether one path is a prefix of the other. A shorter one must still name a field, unless the place is the
 * body itself.
 */
const isAlong = (path: string, place: string) =>
  place.startsWith(path) ? path !== 'body' || place.split('.').length <= 2 : path.startsWith(place);

/** Returns whether the body contains only storable text. */
const isText = (body: unknown): boolean =>
  !/\\u0000|\\ud[89a-f][0-9a-f]{2}|\\u00(0[1-8b-f]|1[0-9a-f])/i.test(JSON.stringify(body).replaceAll('\\\\', ''));

const shown = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text;
};
