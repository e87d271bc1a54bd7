import { createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createEgress } from '../../src/providers/egress/egress.ts';
import { createRenewedSender } from '../../src/providers/email/renewed-sender.ts';
import { createSmtpSender } from '../../src/providers/email/smtp.ts';
import { untilPasses } from '../support/stack/stack.ts';

const message = {
  messageId: '<0190a0a0-0000-7000-8000-000000000001@acme.example>',
  from: { name: 'Acme', address: 'hello@acme.example' },
  to: 'ann@example.com',
  subject: 'Hi',
  body: 'Hello',
  unsubscribeUrl: undefined,
  envelopeFrom: 'hello@acme.example',
  replyTo: undefined,
  dkim: undefined,
};

type Reply = string | 'hang up';

/** Starts a mail server with scripted replies to each command, and to the e-mail's text as `text`. */
async function scripted(replies: Record<string, Reply>, commands: string[] = []) {
  const standard: Record<string, Reply> = {
    greeting: '220 ready',
    EHLO: '250 fine',
    MAIL: '250 fine',
    RCPT: '250 fine',
    DATA: '354 go on',
    text: '250 taken',
    RSET: '250 fine',
    QUIT: '221 bye',
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const answer = (command: string) => {
      const reply = replies[command] ?? standard[command] ?? '500 what';
      if (reply === 'hang up') socket.destroy();
      else socket.write(`${reply}\r\n`);
    };
    let pending = '';
    let isText = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      pending += data;
      for (;;) {
        const end = isText ? pending.indexOf('\r\n.\r\n') : pending.indexOf('\r\n');
        if (end < 0) return;
        const command = isText ? 'text' : pending.slice(0, 4).trim();
        pending = pending.slice(end + (isText ? 5 : 2));
        commands.push(command);
        isText = command === 'DATA' && (replies.DATA ?? '354').startsWith('354');
        answer(command);
      }
    });
    answer('greeting');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    countOpen: () => [...sockets].filter(({ destroyed }) => !destroyed).length,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function outcomeWith(replies: Record<string, Reply>, login = {}) {
  const server = await scripted(replies);
  const sender = createSmtpSender({
    host: '127.0.0.1',
    port: server.port,
    secure: false,
    allow_unencrypted_login: true,
    ...login,
  });
  try {
    return await sender.send(message);
  } finally {
    sender.close();
    await server.close();
  }
}

describe('the outcome of an SMTP session', () => {
  it('is accepted, under the Message-ID of the delivery', async () => {
    expect(await outcomeWith({})).toEqual({ kind: 'accepted', providerId: message.messageId });
  });

  it.each([
    [
      'the greeting refuses our address',
      { greeting: '554 5.7.1 Client host [185.1.1.20] blocked' },
      { kind: 'rejected', because: 'config' },
    ],
    ['another protocol greets', { greeting: 'HTTP/1.1 400 Bad Request' }, { kind: 'rejected', because: 'config' }],
    ['our name is refused', { EHLO: '550 no', HELO: '550 no' }, { kind: 'rejected', because: 'config' }],
    ['the server is busy at the greeting', { greeting: '421 4.3.2 busy' }, { kind: 'retry', scope: 'provider' }],
    ['the sender must wait', { MAIL: '451 4.7.1 slow down' }, { kind: 'retry', scope: 'recipient' }],
    ['the recipient must wait', { RCPT: '450 4.2.1 greylisted' }, { kind: 'retry', scope: 'recipient' }],
    ['the recipient does not exist', { RCPT: '550 5.1.1 no such user' }, { kind: 'rejected', because: 'suppress' }],
    ['the sender is refused', { MAIL: '550 5.1.8 Sender address rejected' }, { kind: 'rejected', because: 'config' }],
    ['the sender is not ours', { MAIL: '553 5.7.1 not owned by user' }, { kind: 'rejected', because: 'config' }],
    ['the recipient refuses us', { RCPT: '550 5.7.1 policy' }, { kind: 'rejected', because: 'permanent' }],
    [
      'the recipient refuses our address, which looks like a code',
      { RCPT: '550 5.7.1 Client host [185.5.1.20] blocked' },
      { kind: 'rejected', because: 'permanent' },
    ],
    [
      'the recipient refuses our address, without a code',
      { RCPT: '550 Client host [5.1.1.20] blocked' },
      { kind: 'rejected', because: 'permanent' },
    ],
    [
      'the recipient refuses the sender',
      { RCPT: '550 5.1.8 Sender address rejected' },
      { kind: 'rejected', because: 'permanent' },
    ],
    ['the mailbox is full', { RCPT: '552 5.2.2 over quota' }, { kind: 'rejected', because: 'permanent' }],
    ['the text is put off', { text: '452 4.3.1 disk full' }, { kind: 'retry', scope: 'recipient' }],
    ['the text is refused', { text: '554 5.6.0 spam' }, { kind: 'rejected', because: 'permanent' }],
    ['the line breaks after the text', { text: 'hang up' }, { kind: 'unknown' }],
  ] as [string, Record<string, Reply>, object][])('is evaluated when %s', async (_, replies, expected) => {
    expect(await outcomeWith(replies)).toMatchObject(expected);
  });

  it('has a reason storable in any column', async () => {
    const outcome = await outcomeWith({ RCPT: '550 5.1.1 no such\0 user\0' });
    expect(outcome).toEqual({ kind: 'rejected', because: 'suppress', reason: expect.stringContaining('no such user') });
    expect(JSON.stringify(outcome)).not.toContain('\\u0000');
  });

  it('is a configuration problem if the login is refused, and a retry if the login fails temporarily', async () => {
    const ehlo = '250-fine\r\n250 AUTH PLAIN';
    const login = { username: 'me', password: 'wrong' };
    expect(await outcomeWith({ EHLO: ehlo, AUTH: '535 5.7.8 no' }, login)).toMatchObject({
      kind: 'rejected',
      because: 'config',
    });
    expect(await outcomeWith({ EHLO: ehlo, AUTH: '454 4.7.0 later' }, login)).toMatchObject({
      kind: 'retry',
      scope: 'provider',
    });
  });

  it('shows no password that the server repeats', async () => {
    const login = { username: 'me', password: 'the password' };
    const forms = [login.password, `\0me\0${login.password}`].map((form) => Buffer.from(form).toString('base64'));
    const reply = `535 5.7.8 no: ${login.password}, ${forms.join(', ')}`;
    const outcome = await outcomeWith({ EHLO: '250-fine\r\n250 AUTH PLAIN', AUTH: reply }, login);
    expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('5.7.8') });
    for (const secret of [login.password, ...forms]) expect(JSON.stringify(outcome)).not.toContain(secret);
  });

  it('is a retry, without the password having been sent, if a server offers no encryption', async () => {
    const commands: string[] = [];
    const server = await scripted({ EHLO: '250-fine\r\n250 AUTH PLAIN', STAR: '502 what' }, commands);
    const login = { username: 'me', password: 'the password' };
    const sender = createSmtpSender({ host: '127.0.0.1', port: server.port, secure: false, ...login });
    expect(await sender.send(message)).toMatchObject({ kind: 'retry', scope: 'provider' });
    expect(commands).not.toContain('AUTH');
    sender.close();
    await server.close();
  });

  it('is a retry if no server is listening', async () => {
    const server = await scripted({});
    await server.close();
    const sender = createSmtpSender({ host: '127.0.0.1', port: server.port, secure: false });
    expect(await sender.send(message)).toMatchObject({ kind: 'retry', scope: 'provider' });
    sender.close();
  });
});

describe('a sender that renews its connections', () => {
  const open = (port: number) => () => createSmtpSender({ host: '127.0.0.1', port, secure: false });

  it('loses no message that waits for the old ones', async () => {
    const commands: string[] = [];
    const server = await scripted({}, commands);
    const sender = createRenewedSender(open(server.port), 60_000);
    const waiting = Array.from({ length: 3 * sender.concurrency }, () => sender.send(message));
    sender.close();
    const outcomes = await Promise.all([...waiting, sender.send(message)]);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    expect(commands.filter((command) => command === 'EHLO').length).toBeGreaterThan(1);
    await untilPasses(() => expect(server.countOpen()).toBe(0));
    await server.close();
  });

  it('opens them anew after their time, and closes the old ones', async () => {
    const commands: string[] = [];
    const server = await scripted({}, commands);
    const sender = createRenewedSender(open(server.port), 0);
    for (const _ of [1, 2]) expect(await sender.send(message)).toMatchObject({ kind: 'accepted' });
    expect(commands.filter((command) => command === 'EHLO')).toHaveLength(2);
    sender.close();
    await untilPasses(() => expect(server.countOpen()).toBe(0));
    await server.close();
  });
});

describe('a mail server named by an org', () => {
  const LOOPBACK = ['127.0.0.0/8', '::1'];
  /** Sends to `mail.example`, whose addresses are these. The servers listen on 127.0.0.1 alone. */
  const sendTo = async (port: number, addresses: string[], { allow = LOOPBACK, secure = false } = {}) => {
    const egress = createEgress({ allow, lookup: async () => addresses });
    const sender = createSmtpSender({ host: 'mail.example', port, secure }, egress.connect);
    try {
      return await sender.send(message);
    } finally {
      sender.close();
      await egress.close();
    }
  };
  const tlsServer = async (secure: boolean) => {
    const server = new SMTPServer({ secure, authOptional: true });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as { port: number };
    return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
  };

  it.each([[['127.0.0.2', '127.0.0.1']], [['::1', '127.0.0.3', '127.0.0.1']], [['127.0.0.1', '127.0.0.2']]])(
    'is reached at the first address that accepts a connection: %j',
    async (addresses) => {
      const server = await scripted({});
      expect(await sendTo(server.port, addresses)).toEqual({ kind: 'accepted', providerId: message.messageId });
      await server.close();
    },
  );

  it('that nobody answers for certainly got nothing', async () => {
    const server = await scripted({});
    const reason = expect.stringMatching(
      /^mail\.example:\d+ could not be reached: nothing answers there \(ECONNREFUSED\)$/,
    );
    expect(await sendTo(server.port, ['127.0.0.2', '127.0.0.3'])).toEqual({ kind: 'retry', scope: 'provider', reason });
    await server.close();
  });

  it('is not contacted if any of its addresses is private', async () => {
    const commands: string[] = [];
    const server = await scripted({}, commands);
    const reason = expect.stringMatching(/127\.0\.0\.1.*EGRESS_ALLOW/);
    const outcome = await sendTo(server.port, ['127.0.0.2', '127.0.0.1'], { allow: ['127.0.0.2/32'] });
    expect(outcome).toEqual({ kind: 'rejected', because: 'config', reason });
    expect(commands).toEqual([]);
    await server.close();
  });

  it.each([
    ['from the beginning', true],
    ['by STARTTLS', false],
  ])('must have a certificate of its name where it encrypts %s', async (_, secure) => {
    const server = await tlsServer(secure);
    const outcome = await sendTo(server.port, ['127.0.0.2', '127.0.0.1'], { secure });
    expect(outcome).toMatchObject({ reason: expect.stringContaining('certificate') });
    await server.close();
  });
});
