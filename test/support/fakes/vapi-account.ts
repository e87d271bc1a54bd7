import { randomUUID } from 'node:crypto';
import type { Answer, ReceivedRequest } from './faulty-server.ts';

/** A number as Vapi keeps it. */
export interface VapiNumber {
  id: string;
  provider: string;
  number?: string;
  sipUri?: string;
  name?: string;
  credentialId?: string;
  assistantId?: string | null;
  server?: { url: string; headers?: Record<string, string>; timeoutSeconds?: number };
}

/** What an account at Vapi has besides its calls. */
export interface VapiAccount {
  numbers: VapiNumber[];
  credentials: object[];
  voices: object[];
  models: string[];
  /** The paths that were asked for, each with its method. */
  asked: string[];
  /** Adds a number as Vapi sells them. */
  addNumber(number: Partial<VapiNumber>): VapiNumber;
  /** Returns nothing for what is no part of the account. */
  answer(request: ReceivedRequest): Answer | undefined;
}

/** Of UpdateVapiPhoneNumberDTO and its siblings. Whatever else is sent is refused. */
const NUMBER_FIELDS = [
  'provider',
  'fallbackDestination',
  'hooks',
  'name',
  'assistantId',
  'workflowId',
  'squadId',
  'server',
];

export function createVapiAccount(): VapiAccount {
  const numbers: VapiNumber[] = [];
  const account: VapiAccount = {
    numbers,
    credentials: [],
    voices: [],
    models: ['gpt-4.1', 'gpt-4.1-mini'],
    asked: [],
    addNumber(number) {
      const added = { id: randomUUID(), provider: 'vapi', ...number };
      numbers.push(added);
      return added;
    },
    answer(request) {
      const { method, url } = request;
      const [, room, id] = url.pathname.split('/');
      if (room === 'call' || room === undefined) return undefined;
      account.asked.push(`${method} ${url.pathname}`);
      if (room === 'phone-number' && id === undefined) return { status: 200, body: numbers };
      if (room === 'phone-number') return change(numbers, id, request);
      if (room === 'credential') return { status: 200, body: account.credentials };
      if (room === 'voice-library' && id === 'vapi') return { status: 200, body: pageOf(account.voices, url) };
      if (room === 'api-json') return { status: 200, body: documentOf(account.models) };
      return undefined;
    },
  };
  return account;
}

function change(numbers: VapiNumber[], id: string | undefined, { method, body }: ReceivedRequest): Answer {
  const number = numbers.find((one) => one.id === id);
  if (number === undefined)
    return { status: 404, body: { message: `Couldn't Find Phone Number ${id}`, statusCode: 404 } };
  if (method === 'GET') return { status: 200, body: number };
  const changes = JSON.parse(body) as Partial<VapiNumber>;
  const known = number.provider === 'byo-phone-number' ? [...NUMBER_FIELDS, 'credentialId'] : NUMBER_FIELDS;
  const unknown = Object.keys(changes).filter((field) => !known.includes(field));
  if (unknown.length > 0 || changes.provider !== number.provider)
    return { status: 400, body: { message: [`property ${unknown.join()} should not exist`], statusCode: 400 } };
  Object.assign(number, changes);
  return { status: 200, body: number };
}

const pageOf = (voices: object[], { searchParams }: URL): object[] => {
  const [limit, page] = [Number(searchParams.get('limit') ?? 100), Number(searchParams.get('page') ?? 1)];
  return voices.slice(limit * (page - 1), limit * page);
};

const documentOf = (models: string[]) => ({
  openapi: '3.0.0',
  components: { schemas: { OpenAIModel: { properties: { model: { type: 'string', enum: models } } } } },
});
