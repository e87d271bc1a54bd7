import { createHmac, randomBytes } from 'node:crypto';
import { type Answer, type Fault, type ReceivedRequest, startFaultyServer } from './faulty-server.ts';

/** A message that Twilio took. A test that changes its status changes what a look-up finds. */
export interface TwilioMessage {
  sid: string;
  params: URLSearchParams;
  status: string;
  errorCode: number | null;
  createdAt: Date;
}

export interface FakeTwilio {
  url: string;
  accountSid: string;
  authToken: string;
  /** Every message that was taken, once, in order. */
  messages: TwilioMessage[];
  /** The account's numbers, and whether each sends MMS. */
  numbers: Map<string, { mms: boolean }>;
  /** What the coming sends meet, one each. */
  next(...faults: Fault[]): void;
  /** What the coming look-ups meet, one each. */
  nextLookUp(...faults: Fault[]): void;
  /** Posts a status to the message's StatusCallback, and says what status that answered. */
  callback(
    message: TwilioMessage,
    status: string,
    extra?: Record<string, string>,
    options?: { isForged?: boolean },
  ): Promise<number>;
  /** The files of messages, each at this path behind the account's. Only the account gets them. */
  files: Map<string, { type: string; bytes: Buffer }>;
  /** Posts a contact's message to the address, with `media` as paths of files. */
  receive(
    sms: { from: string; to: string; body: string; sid?: string; media?: string[]; optOutType?: string },
    url: string,
  ): Promise<number>;
  close(): Promise<void>;
}

/** A refusal as Twilio words it. */
const twilioError = (code: number, message: string, status = 400): Answer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});
export const refusesWith = (code: number, message: string, status = 400): Fault => ({
  answer: twilioError(code, message, status),
  when: 'before',
});

const E164 = /^\+[1-9]\d{6,14}$/;
const newSid = (prefix: string) => `${prefix}${randomBytes(16).toString('hex')}`;

/** Twilio's Messages API, as strict as the real one. `fault` says what the nth send meets where `next` scripted nothing. */
export async function startFakeTwilio(fault?: (n: number) => Fault | undefined): Promise<FakeTwilio> {
  const [accountSid, authToken] = [newSid('AC'), randomBytes(16).toString('hex')];
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  const path = `/2010-04-01/Accounts/${accountSid}/Messages.json`;
  const messages: TwilioMessage[] = [];
  const numbers: FakeTwilio['numbers'] = new Map([['+15005550006', { mms: true }]]);
  const files: FakeTwilio['files'] = new Map();
  const faults: Fault[] = [];
  const lookUpFaults: Fault[] = [];
  let sends = 0;

  const create = ({ headers, body }: ReceivedRequest): Answer => {
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    const params = new URLSearchParams(isForm ? body : '');
    const refusal = refusalOf(params);
    if (refusal !== undefined) return refusal;
    const message = { sid: newSid('SM'), params, status: 'queued', errorCode: null, createdAt: new Date() };
    messages.push(message);
    return { status: 201, body: shown(message) };
  };

  /** Newest first; DateSent finds nothing that still waits, as that was not sent. */
  const list = ({ searchParams }: URL): Answer => {
    const size = Number(searchParams.get('PageSize') ?? 50);
    const page = Number(searchParams.get('Page') ?? 0);
    const matching = messages
      .filter(({ params }) => [null, params.get('To')].includes(searchParams.get('To')))
      .filter(
        ({ status }) => ![...searchParams.keys()].some((key) => key.startsWith('DateSent')) || status !== 'queued',
      )
      .reverse();
    const next = new URLSearchParams([...searchParams].filter(([name]) => name !== 'Page'));
    next.set('Page', String(page + 1));
    const hasMore = matching.length > (page + 1) * size;
    const shownMessages = matching.slice(page * size, (page + 1) * size).map(shown);
    return { status: 200, body: { messages: shownMessages, next_page_uri: hasMore ? `${path}?${next}` : null } };
  };

  const server = await startFaultyServer(
    (request) => {
      if (request.headers.authorization !== authorization) return twilioError(20003, 'Authenticate', 401);
      if (request.url.pathname === path.replace('Messages', 'IncomingPhoneNumbers')) {
        const capabilities = numbers.get(request.url.searchParams.get('PhoneNumber') ?? '');
        const own = capabilities === undefined ? [] : [{ capabilities: { voice: true, sms: true, ...capabilities } }];
        return { status: 200, body: { incoming_phone_numbers: own } };
      }
      const file = files.get(request.url.pathname);
      if (file !== undefined) return { status: 200, body: file.bytes, headers: { 'content-type': file.type } };
      if (request.url.pathname !== path) return twilioError(20404, 'The requested resource was not found', 404);
      return request.method === 'POST' ? create(request) : list(request.url);
    },
    ({ method }) => (method === 'POST' ? (faults.shift() ?? fault?.(++sends)) : lookUpFaults.shift()),
  );

  const post = async (url: string, fields: Record<string, string>, token = authToken) => {
    const all = Object.entries({ AccountSid: accountSid, ApiVersion: '2010-04-01', ...fields });
    all.sort(([name], [other]) => (name < other ? -1 : 1));
    const text = url + all.flat().join('');
    const signature = createHmac('sha1', token).update(text).digest('base64');
    const headers = { 'x-twilio-signature': signature };
    return (await fetch(url, { method: 'POST', headers, body: new URLSearchParams(all) })).status;
  };

  return {
    ...server,
    accountSid,
    authToken,
    messages,
    numbers,
    files,
    next: (...more) => void faults.push(...more),
    nextLookUp: (...more) => void lookUpFaults.push(...more),
    callback: ({ sid, params }, status, extra = {}, { isForged = false } = {}) => {
      const [to, from] = [params.get('To') ?? '', params.get('From') ?? '+15005550006'];
      const fields = { MessageSid: sid, SmsSid: sid, MessageStatus: status, SmsStatus: status, To: to, From: from };
      return post(params.get('StatusCallback') ?? '', { ...fields, ...extra }, isForged ? 'forged' : authToken);
    },
    receive: ({ from, to, body, sid = newSid('SM'), media = [], optOutType }, url) => {
      const ids = {
        MessageSid: sid,
        SmsSid: sid,
        SmsMessageSid: sid,
        NumMedia: String(media.length),
        NumSegments: '1',
      };
      const fields = media.flatMap((file, n) => [
        [`MediaUrl${n}`, `${server.url}${file}`],
        [`MediaContentType${n}`, files.get(file)?.type ?? 'image/jpeg'],
      ]);
      return post(url, {
        ...ids,
        SmsStatus: 'received',
        From: from,
        To: to,
        Body: body,
        ...(optOutType && { OptOutType: optOutType }),
        ...Object.fromEntries(fields),
      });
    },
  };
}

function refusalOf(params: URLSearchParams): Answer | undefined {
  const [to, body, media] = [params.get('To'), params.get('Body'), params.getAll('MediaUrl')];
  if (to === null) return twilioError(21604, "A 'To' phone number is required.");
  if (!E164.test(to)) return twilioError(21211, `Invalid 'To' Phone Number: ${to}`);
  if (!params.get('From') && !params.get('MessagingServiceSid'))
    return twilioError(21603, "A 'From' phone number is required.");
  if (!body && media.length === 0) return twilioError(21602, 'Message body is required.');
  if (media.length > 10 || !media.every((url) => URL.canParse(url))) return twilioError(21620, 'Invalid media URL(s)');
  if (body !== null && body.length > 1600)
    return twilioError(21617, 'The concatenated message body exceeds the 1600 character limit');
  if (!URL.canParse(params.get('StatusCallback') ?? '')) return twilioError(21609, 'StatusCallback is not a valid URL');
  return undefined;
}

const shown = ({ sid, params, status, errorCode, createdAt }: TwilioMessage) => ({
  sid,
  to: params.get('To'),
  from: params.get('From'),
  messaging_service_sid: params.get('MessagingServiceSid'),
  body: params.get('Body') ?? '',
  status,
  direction: 'outbound-api',
  date_created: createdAt.toUTCString().replace('GMT', '+0000'),
  date_sent: status === 'queued' ? null : createdAt.toUTCString().replace('GMT', '+0000'),
  error_code: errorCode,
  error_message: errorCode === null ? null : `What ${errorCode} means`,
});
