import type { MailFile } from '../../src/providers/email/port.ts';
import { createSmtpSender } from '../../src/providers/email/smtp.ts';
import { type StrictSmtpOptions, startStrictSmtp } from '../support/fakes/strict-smtp.ts';

const BODY = 'Hello\n.\n..two dots\n\n.hidden line\nBye';

interface Extras {
  cc?: string[];
  files?: MailFile[];
}

const messageTo = (to: string, { cc = [], files = [] }: Extras) => ({
  messageId: `<${to.replace('@', '.')}@acme.example>`,
  from: { name: 'Acme', address: 'hello@acme.example' },
  to,
  cc,
  subject: 'Hi',
  body: BODY,
  attachments: files,
  unsubscribeUrl: undefined,
  envelopeFrom: 'bounces@acme.example',
  replyTo: undefined,
  dkim: undefined,
});

const names = (count: number) => Array.from({ length: count }, (_, nth) => `person${nth}@example.com`);

/** Sends to each address over the pool of one sender, a few at a time. Returns the outcomes, and what the server saw. */
async function sendTo(
  addresses: string[],
  options: StrictSmtpOptions,
  { atOnce = 4, ...extras }: Extras & { atOnce?: number } = {},
) {
  const server = await startStrictSmtp(options);
  const sender = createSmtpSender({ host: '127.0.0.1', port: server.port, secure: false });
  const outcomes: string[] = [];
  try {
    for (let first = 0; first < addresses.length; first += atOnce) {
      const sent = await Promise.all(
        addresses.slice(first, first + atOnce).map((to) => sender.send(messageTo(to, extras))),
      );
      outcomes.push(
        ...sent.map((outcome) =>
          'because' in outcome
            ? `rejected ${outcome.because}`
            : 'scope' in outcome
              ? `retry ${outcome.scope}`
              : outcome.kind,
        ),
      );
    }
  } finally {
    sender.close();
    await server.close();
  }
  expect(server.violations).toEqual([]);
  return { outcomes, ...server };
}

const all = (count: number, outcome: string) => Array.from({ length: count }, () => outcome);

describe('a mail server that offers PIPELINING', () => {
  it('gets the envelope of each e-mail in one packet, and each text as it is', async () => {
    const { outcomes, mails, packets, connections } = await sendTo(names(12), { isPipelining: true });
    expect(outcomes).toEqual(all(12, 'accepted'));
    expect(mails.map(({ to }) => to[0]).toSorted()).toEqual(names(12).toSorted());
    for (const { from, text } of mails) {
      expect(from).toBe('bounces@acme.example');
      expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(`${BODY.replaceAll('\n', '\r\n')}\r\n`);
    }
    expect(packets.filter(([first]) => first === 'MAIL')).toEqual(all(12, '').map(() => ['MAIL', 'RCPT', 'DATA']));
    expect(connections()).toBeLessThanOrEqual(4);
  });

  it.each([undefined, '354 go on'])(
    'and refuses recipients amid a pipeline gets the others over the same connection, if it answers DATA with %s',
    async (dataWithoutRecipient) => {
      const refusal = (address: string) =>
        ({
          'person1@example.com': '550 5.1.1 no such user',
          'person2@example.com': '451 4.7.1 come back later',
          'person4@example.com': '550 5.7.1 not from you',
        })[address];
      const { outcomes, mails, connections } = await sendTo(
        names(6),
        { isPipelining: true, refusal, ...(dataWithoutRecipient && { dataWithoutRecipient }) },
        { atOnce: 1 },
      );
      expect(outcomes).toEqual([
        'accepted',
        'rejected suppress',
        'retry recipient',
        'accepted',
        'rejected permanent',
        'accepted',
      ]);
      expect(mails.map(({ to }) => to)).toEqual([0, 3, 5].map((nth) => [`person${nth}@example.com`]));
      expect(connections()).toBe(1);
    },
  );

  it('and refuses the one that an e-mail is to sends it to the others, and the outcome is the refusal', async () => {
    const refusal = (address: string) => (address === 'person0@example.com' ? '550 5.1.1 no such user' : undefined);
    const { outcomes, mails } = await sendTo(names(1), { isPipelining: true, refusal }, { cc: ['copy@example.com'] });
    expect(outcomes).toEqual(['rejected suppress']);
    expect(mails.map(({ to }) => to)).toEqual([['copy@example.com']]);
  });

  it.each([
    ['RCPT', []],
    ['DATA', []],
    ['DATA', [{ name: 'a.txt', mimeType: 'text/plain', bytes: Buffer.alloc(100_000, 'a') }]],
  ] as const)(
    'and hangs up at %s certainly got nothing of the e-mail, which goes by another connection',
    async (at, files) => {
      const { outcomes, mails } = await sendTo(
        names(5),
        { isPipelining: true, hangUp: { at, address: 'person2@example.com' } },
        { atOnce: 1, files: [...files] },
      );
      // The connection had sent e-mails before, so that it may have been closed before this one.
      expect(outcomes).toEqual(all(5, 'accepted'));
      expect(mails.map(({ to }) => to[0]).toSorted()).toEqual(names(5));
    },
  );

  it('and hangs up at the reset behind a refusal leaves the refusal as it is', async () => {
    const refusal = (address: string) => (address === 'person1@example.com' ? '550 5.1.1 no such user' : undefined);
    const hangUp = { at: 'RSET', address: 'person1@example.com' } as const;
    const { outcomes } = await sendTo(names(3), { isPipelining: true, refusal, hangUp }, { atOnce: 1 });
    expect(outcomes).toEqual(['accepted', 'rejected suppress', 'accepted']);
  });

  it.each(['RCPT', 'DATA'] as const)(
    'and hangs up at %s of the first e-mail of a connection gets it by another one',
    async (at) => {
      const hangUp = { at, address: 'person0@example.com' };
      const { outcomes, mails } = await sendTo(names(3), { isPipelining: true, hangUp }, { atOnce: 1 });
      expect(outcomes).toEqual(all(3, 'accepted'));
      expect(mails.map(({ to }) => to[0])).toEqual(names(3));
    },
  );

  it.each(['RCPT', 'DATA'] as const)('and hangs up at %s of every e-mail is away for all of them', async (at) => {
    const { outcomes, mails } = await sendTo(names(3), { isPipelining: true, hangUp: { at, lasting: true } });
    expect([outcomes, mails]).toEqual([all(3, 'retry provider'), []]);
  });

  it('and hangs up at one recipient, while others get their e-mails, has this one alone retried', async () => {
    const hangUp = { at: 'RCPT', address: 'person0@example.com', lasting: true } as const;
    const { outcomes, mails } = await sendTo(names(4), { isPipelining: true, hangUp });
    expect(outcomes).toEqual(['retry recipient', ...all(3, 'accepted')]);
    expect(mails).toHaveLength(3);
  });

  it('and hangs up at the last recipient has this one alone retried', async () => {
    const hangUp = { at: 'RCPT', address: 'person3@example.com', lasting: true } as const;
    const { outcomes } = await sendTo(names(4), { isPipelining: true, hangUp }, { atOnce: 1 });
    expect(outcomes).toEqual([...all(3, 'accepted'), 'retry recipient']);
  });

  it('and hangs up behind a text leaves its outcome unknown, and it is not sent again', async () => {
    const hangUp = { at: 'text', address: 'person2@example.com' } as const;
    const { outcomes, mails } = await sendTo(names(5), { isPipelining: true, hangUp }, { atOnce: 1 });
    expect(outcomes).toEqual(['accepted', 'accepted', 'unknown', 'accepted', 'accepted']);
    expect(mails.map(({ to }) => to[0])).toEqual(names(5));
  });
});

describe('a mail server that does not offer PIPELINING', () => {
  it('gets one command at a time', async () => {
    const refusal = (address: string) => (address === 'person3@example.com' ? '550 5.1.1 no such user' : undefined);
    const { outcomes, mails, packets } = await sendTo(names(8), { isPipelining: false, refusal });
    expect(outcomes).toEqual(names(8).map((_, nth) => (nth === 3 ? 'rejected suppress' : 'accepted')));
    expect(mails).toHaveLength(7);
    expect(packets.filter((commands) => commands.length > 1)).toEqual([]);
  });
});
