import { createSocket } from 'node:dgram';
import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';

const SERVFAIL = 2;
const NXDOMAIN = 3;
/** A string of a TXT record holds no more (RFC 1035, 3.3.14). */
const STRING_BYTES = 255;

/** A record's text, cut where it must be, or the strings it is to be cut into. */
type Txt = string | string[];
type Answer = Txt[] | { addresses?: string[]; exchanges?: string[] } | 'no records' | 'SERVFAIL' | 'silence';

export interface FakeDns {
  /** `ip:port`, for DNS_SERVERS. */
  address: string;
  /** The names that were asked for, each time. */
  queries: string[];
  /** What the name has from now on: TXT records, IPv4 addresses, mail servers, no records, or trouble. */
  set(name: string, answer: Answer): void;
  /** Names that were not set, as all of them are now, do not exist. */
  clear(): void;
  close(): Promise<void>;
}

/** A DNS server over real UDP, of TXT, A and MX records. */
export async function startFakeDns(): Promise<FakeDns> {
  const answers = new Map<string, Answer>();
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const { name = '', type } = questions[0] ?? {};
    queries.push(name);
    const answer = answers.get(name);
    if (answer === 'silence') return;
    const status = answer === undefined ? NXDOMAIN : answer === 'SERVFAIL' ? SERVFAIL : 0;
    const records = Array.isArray(answer)
      ? answer.map((text) => ({ type: 'TXT' as const, name, ttl: 3600, data: stringsOf(text) }))
      : typeof answer === 'object' && type === 'A'
        ? (answer.addresses ?? []).map((data) => ({ type: 'A' as const, name, ttl: 3600, data }))
        : typeof answer === 'object' && type === 'MX'
          ? (answer.exchanges ?? []).map((exchange, nth) => ({
              ...{ type: 'MX' as const, name, ttl: 3600 },
              data: { preference: 10 - nth, exchange },
            }))
          : [];
    socket.send(
      encode({ type: 'response', id, flags: RECURSION_AVAILABLE | status, questions, answers: records }),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));

  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    set: (name, answer) => void answers.set(name, answer),
    clear: () => answers.clear(),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

const stringsOf = (text: Txt): string[] =>
  typeof text === 'string' ? (text.match(new RegExp(`.{1,${STRING_BYTES}}`, 'g')) ?? ['']) : text;
