import { type IncomingMessage, request } from 'node:http';
import { eventually } from './stack.ts';

export interface ReceivedEvent {
  id: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any;
}

export interface OpenEventStream {
  status: number;
  headers: IncomingMessage['headers'];
  /** The whole body, where it is no stream. */
  body: string;
  events: ReceivedEvent[];
  comments(): number;
  /** What a client sends to resume. */
  lastEventId(): string;
  /** The first events, once there are as many. */
  take(count: number): Promise<ReceivedEvent[]>;
  isEnded(): boolean;
  cut(): void;
}

interface As {
  /** Without one, the headers say who reads. */
  key?: string;
  headers?: Record<string, string>;
}

/** Reads server-sent events as a browser does (WHATWG HTML, 9.2.6). Resolves once the headers have come. */
export function openEventStream(url: string, { key, headers = {} }: As): Promise<OpenEventStream> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent: false, headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers } },
      (response) => {
        const parser = createParser();
        let isEnded = false;
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          body += text;
          parser.feed(text);
        });
        response.on('close', () => {
          isEnded = true;
        });
        response.on('error', () => undefined); // cut
        const isStream = response.headers['content-type'] === 'text/event-stream';
        const stream = {
          status: response.statusCode ?? 0,
          headers: response.headers,
          get body() {
            return body;
          },
          events: parser.events,
          comments: parser.comments,
          lastEventId: parser.lastEventId,
          async take(count: number) {
            await eventually(`${count} events`, () => parser.events.length >= count);
            return parser.events.slice(0, count);
          },
          isEnded: () => isEnded,
          cut: () => void sent.destroy(),
        };
        if (isStream) resolve(stream);
        else response.on('end', () => resolve(stream));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

function createParser() {
  const events: ReceivedEvent[] = [];
  let comments = 0;
  let rest = '';
  let lastEventId = '';
  let type = '';
  let data: string[] = [];

  const dispatch = () => {
    if (data.length > 0) events.push({ id: lastEventId, type: type || 'message', data: JSON.parse(data.join('\n')) });
    type = '';
    data = [];
  };
  const take = (line: string) => {
    if (line === '') return dispatch();
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (field === '') comments++;
    if (field === 'id') lastEventId = value;
    if (field === 'event') type = value;
    if (field === 'data') data.push(value);
  };
  return {
    events,
    comments: () => comments,
    lastEventId: () => lastEventId,
    feed(text: string) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    },
  };
}
