import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { type Answer, type Fault, type ReceivedRequest, startFaultyServer } from './faulty-server.ts';
import { createVapiAccount, type VapiAccount, type VapiNumber } from './vapi-account.ts';

/** A call that Vapi took. A test that changes its status changes what a look-up finds. */
export interface FakeVapiCall {
  id: string;
  /** The request as it came. */
  params: VapiCallParams;
  status: string;
  endedReason: string | undefined;
  createdAt: string;
  /** What a look-up shows besides, once it has ended. */
  ended?: object;
}

export interface VapiCallParams {
  phoneNumberId: string;
  customer: { number: string; name?: string };
  assistant: {
    name: string;
    firstMessage: string;
    metadata?: Record<string, string>;
    server: { url: string; headers?: Record<string, string>; timeoutSeconds?: number };
    [field: string]: unknown;
  };
}

export interface FakeVapi {
  url: string;
  apiKey: string;
  phoneNumberId: string;
  /** Every call that was taken, once, in order. */
  calls: FakeVapiCall[];
  /** What the coming calls meet, one each. */
  next(...faults: Fault[]): void;
  /** What the coming look-ups meet, one each. */
  nextLookUp(...faults: Fault[]): void;
  /** Posts a status-update to the call's server, and says what status that answered. */
  callback(
    call: FakeVapiCall,
    status: string,
    extra?: Record<string, unknown>,
    options?: VapiCallbackOptions,
  ): Promise<number>;
  /** Posts what the assistant asks for by its tools, and gives the answer. */
  useTools(call: FakeVapiCall, toolCallList: object[], options?: VapiCallbackOptions): Promise<VapiToolsAnswer>;
  /** Its numbers, trunks, voices and models. */
  account: VapiAccount;
  /**
   * Calls a number of the account: asks its server for an assistant, once for each of `times`, and checks the first answer
   * as strictly as the assistant of a call that is made.
   */
  ring(number: VapiNumber, caller: { number?: string; name?: string }, options?: { times?: number }): Promise<Ringing>;
  /** Asks where the assistant's call is to be transferred. */
  transfer(call: FakeVapiCall): Promise<{ status: number; body: VapiAnswer }>;
  /** Ends a call without a report: a look-up alone shows it. */
  endSilently(call: FakeVapiCall, endedReason: string, ended?: object): void;
  /** Posts the end-of-call-report. */
  report(call: FakeVapiCall, endedReason: string, options?: VapiCallbackOptions): Promise<number>;
  close(): Promise<void>;
}

/** What a call that came in has met. */
export interface Ringing {
  answers: VapiAnswer[];
  /** The call, if an assistant took it. */
  call: FakeVapiCall | undefined;
}

/** What a server answers to Vapi's requests. */
export interface VapiAnswer {
  assistant?: VapiCallParams['assistant'];
  destination?: { type: string; number: string };
  error?: string;
}

export interface VapiToolsAnswer {
  status: number;
  results?: { toolCallId: string; name: string; result?: string; error?: string }[];
}

export interface VapiCallbackOptions {
  isForged?: boolean;
  /** Signs the bytes with this secret, in place of the headers that the call asked for. */
  signWith?: string;
  /** In place of a short one. */
  transcript?: string;
  messages?: { role: string; message: string }[];
  summary?: string;
  recordingUrl?: string;
  durationSeconds?: number;
}

/** So long Vapi waits for an assistant. */
const ASSISTANT_PATIENCE_MS = 7_500;

const E164 = /^\+[1-9]\d{6,14}$/;
/** Of CreateCallDTO, the assistant and its server in Vapi's OpenAPI document. Whatever else is sent is refused. */
const FIELDS = {
  '': ['phoneNumberId', 'customer', 'assistant', 'assistantId', 'assistantOverrides', 'name', 'schedulePlan'],
  'assistant.': ['name', 'firstMessage', 'model', 'voice', 'transcriber', 'metadata', 'server', 'serverMessages'],
  'assistant.server.': ['url', 'headers', 'credentialId', 'timeoutSeconds', 'backoffPlan'],
  'customer.': ['number', 'name', 'email', 'externalId', 'extension', 'sipUri'],
};

const refusal = (status: number, error: string, message: string | string[]): Answer => ({
  status,
  body: { message, error, statusCode: status },
});
/** A refusal as Vapi words it. */
export const vapiRefuses = (status: number, message: string | string[]): Fault => ({
  answer: refusal(status, 'Refused', message),
  when: 'before',
});

/** Vapi's calls API, as strict as the real one. `fault` says what the nth call meets where `next` scripted nothing. */
export async function startFakeVapi(fault?: (n: number) => Fault | undefined): Promise<FakeVapi> {
  const [apiKey, phoneNumberId] = [randomUUID(), randomUUID()];
  const account = createVapiAccount();
  const calls: FakeVapiCall[] = [];
  const received: FakeVapiCall[] = [];
  const faults: Fault[] = [];
  const lookUpFaults: Fault[] = [];
  let sends = 0;

  const create = ({ body }: ReceivedRequest): Answer => {
    const params = JSON.parse(body) as VapiCallParams;
    const issues = issuesOf(params, phoneNumberId);
    if (issues.length > 0) return refusal(400, 'Bad Request', issues);
    const createdAt = new Date().toISOString();
    const call: FakeVapiCall = { id: randomUUID(), params, status: 'queued', endedReason: undefined, createdAt };
    calls.push(call);
    return { status: 201, body: shown(call) };
  };

  const list = ({ searchParams }: URL): Answer => {
    const [from, to] = [searchParams.get('createdAtGe') ?? '', searchParams.get('createdAtLt') ?? '~'];
    const matching = calls
      .filter(({ createdAt }) => createdAt >= from && createdAt < to)
      .filter(({ params }) => [null, params.phoneNumberId].includes(searchParams.get('phoneNumberId')));
    return {
      status: 200,
      body: matching
        .reverse()
        .slice(0, Number(searchParams.get('limit') ?? 100))
        .map(shown),
    };
  };

  const find = (id: string): Answer => {
    const call = [...calls, ...received].find((one) => one.id === id);
    if (call === undefined) return refusal(404, 'Not Found', "Couldn't Get Call. Does Not Exist.");
    return { status: 200, body: { ...shown(call), ...call.ended } };
  };

  const server = await startFaultyServer(
    (request) => {
      if (request.headers.authorization !== `Bearer ${apiKey}`) {
        const given = request.headers.authorization?.slice('Bearer '.length);
        return refusal(401, 'Unauthorized', `Invalid Key ${given}. Hot tip, you may be using the public key`);
      }
      const answer = account.answer(request);
      if (answer !== undefined) return answer;
      const [, id] = /^\/call\/([^/]+)$/.exec(request.url.pathname) ?? [];
      if (id !== undefined && request.method === 'GET') return find(id);
      if (request.url.pathname !== '/call') return refusal(404, 'Not Found', `Cannot reach ${request.url.pathname}`);
      return request.method === 'POST' ? create(request) : list(request.url);
    },
    ({ method }) => (method === 'POST' ? (faults.shift() ?? fault?.(++sends)) : lookUpFaults.shift()),
  );

  const post = async (
    call: FakeVapiCall,
    message: object,
    { isForged = false, signWith }: VapiCallbackOptions = {},
  ) => {
    const { url, headers: asked = {}, timeoutSeconds = 20 } = call.params.assistant.server;
    const body = JSON.stringify({ message: { timestamp: Date.now(), call: shown(call), ...message } });
    const signature = createHmac('sha256', signWith ?? '')
      .update(body)
      .digest('hex');
    const proof = signWith === undefined ? asked : { 'x-vapi-signature': signature };
    const headers = isForged ? { 'x-vapi-secret': randomBytes(8).toString('hex') } : proof;
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
    return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body, signal });
  };

  const askForAssistant = async (number: VapiNumber, call: object): Promise<VapiAnswer> => {
    if (number.server === undefined) throw new Error('The number has no server');
    const phoneNumber = { id: number.id, number: number.number };
    const answer = await fetch(number.server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...number.server.headers },
      body: JSON.stringify({ message: { type: 'assistant-request', phoneNumber, call } }),
      signal: AbortSignal.timeout(ASSISTANT_PATIENCE_MS),
    });
    if (answer.status !== 200) throw new Error(`The server answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as VapiAnswer;
  };

  const ring: FakeVapi['ring'] = async (number, customer, { times = 1 } = {}) => {
    const call = { id: randomUUID(), type: 'inboundPhoneCall', phoneNumberId: number.id, customer };
    const answers = await Promise.all(Array.from({ length: times }, () => askForAssistant(number, call)));
    const assistant = answers[0]?.assistant;
    if (assistant === undefined) return { answers, call: undefined };
    const params = { phoneNumberId: number.id, customer: { number: 'anonymous', ...customer }, assistant };
    const issues = assistantIssuesOf(params);
    if (issues.length > 0) throw new Error(`Vapi refuses the assistant: ${issues.join('; ')}`);
    const createdAt = new Date().toISOString();
    const taken: FakeVapiCall = { id: call.id, params, status: 'in-progress', endedReason: undefined, createdAt };
    received.push(taken);
    return { answers, call: taken };
  };

  return {
    ...server,
    apiKey,
    phoneNumberId,
    calls,
    account,
    ring,
    transfer: async (call) => {
      const answer = await post(call, { type: 'transfer-destination-request' });
      return { status: answer.status, body: (await answer.json()) as VapiAnswer };
    },
    endSilently: (call, endedReason, ended) => void Object.assign(call, { status: 'ended', endedReason, ended }),
    next: (...more) => void faults.push(...more),
    nextLookUp: (...more) => void lookUpFaults.push(...more),
    callback: async (call, status, extra = {}, options) =>
      (await post(call, { type: 'status-update', status, ...extra }, options)).status,
    useTools: async (call, toolCallList, options) => {
      const answer = await post(call, { type: 'tool-calls', toolCallList }, options);
      const { results } = (await answer.json()) as VapiToolsAnswer;
      return { status: answer.status, ...(results && { results }) };
    },
    report: async (call, endedReason, options) => {
      const { transcript = 'AI: Hello?', messages, recordingUrl, summary, durationSeconds } = options ?? {};
      const artifact = { transcript, messages, recordingUrl };
      const report = { type: 'end-of-call-report', endedReason, artifact, analysis: { summary }, durationSeconds };
      return (await post(call, report, options)).status;
    },
  };
}

function issuesOf(params: VapiCallParams, phoneNumberId: string): string[] {
  const issues = assistantIssuesOf(params);
  if (!E164.test(params.customer?.number ?? ''))
    issues.push('customer.number must be a valid phone number in the E.164 format.');
  if (params.phoneNumberId !== phoneNumberId) issues.push("Couldn't Find Phone Number");
  return issues;
}

function assistantIssuesOf(params: VapiCallParams): string[] {
  const parts = { '': params, 'assistant.': params.assistant, 'assistant.server.': params.assistant?.server };
  const issues = Object.entries({ ...parts, 'customer.': params.customer }).flatMap(([prefix, part]) =>
    Object.keys(part ?? {})
      .filter((field) => !FIELDS[prefix as keyof typeof FIELDS].includes(field))
      .map((field) => `${prefix}property ${field} should not exist`),
  );
  if ((params.customer?.name ?? '').length > 40)
    issues.push('customer.name must be shorter than or equal to 40 characters');
  if ((params.assistant?.name ?? '').length > 40)
    issues.push('assistant.name must be shorter than or equal to 40 characters');
  return issues;
}

const shown = ({ id, params, status, endedReason, createdAt }: FakeVapiCall) => ({
  ...params,
  id,
  type: 'outboundPhoneCall',
  status,
  endedReason,
  createdAt,
});
