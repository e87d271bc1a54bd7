import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { TooManyRequests, tooLarge } from '../../../src/errors.ts';
import { type MailEnvelope, startMailReceiver } from '../../../src/providers/email/mail-receiver.ts';

const textOf = async (content: AsyncIterator<Uint8Array>) => {
  const chunks: Uint8Array[] = [];
  for (let next = await content.next(); next.done !== true; next = await content.next()) chunks.push(next.value);
  return Buffer.concat(chunks).toString();
};

const DIALOGUE = ['EHLO mx.example.com', 'MAIL FROM:<ann@example.com>', 'RCPT TO:<support@in.acme.example>'];

describe('the mail receiver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
  const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  beforeAll(() => {
    const files = ['-keyout', tls.keyFile, '-out', tls.certFile];
    const certificate = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...certificate, ...files, '-subj', '/CN=in.acme.example'], { stdio: 'ignore' });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function started(more: object = {}) {
    const taken: { envelope: MailEnvelope<string>; raw: string }[] = [];
    const receiver = await startMailReceiver({
      name: 'in.acme.example',
      host: '127.0.0.1',
      port: 0,
      lookUp: async (address) =>
        address.startsWith('broken')
          ? Promise.reject(new Error('away'))
          : { mailbox: `the mailbox ${address}`, state: 'open' },
      maxBytes: 1024 ** 2,
      accept: async (envelope, content) => void taken.push({ envelope, raw: await textOf(content) }),
      log: { warn: () => undefined },
      ...more,
    });
    return { ...receiver, taken };
  }
  const send = (port: number, to: string, more: object) =>
    createTransport({
      host: '127.0.0.1',
      port,
      name: 'mx.example.com',
      tls: { rejectUnauthorized: false },
      ...more,
    }).sendMail({ from: 'ann@example.com', to, text: 'Hi' });

  it('takes mail encrypted by STARTTLS with the certificate of its files, and plain mail too', async () => {
    const receiver = await started({ tls });
    await send(receiver.port, 'support@in.acme.example', { requireTLS: true });
    await send(receiver.port, 'support@in.acme.example', { ignoreTLS: true });
    await receiver.stop();
    expect(receiver.taken.map(({ envelope }) => envelope)).toEqual(
      Array(2).fill({
        mailFrom: 'ann@example.com',
        recipients: [{ address: 'support@in.acme.example', mailbox: 'the mailbox support@in.acme.example' }],
        client: { ip: '127.0.0.1', helo: 'mx.example.com' },
      }),
    );
  });

  it('offers no STARTTLS without a certificate, and does not start with one that is not there', async () => {
    const receiver = await started();
    await expect(send(receiver.port, 'support@in.acme.example', { requireTLS: true })).rejects.toThrow(/STARTTLS/);
    await receiver.stop();
    await expect(started({ tls: { ...tls, certFile: join(folder, 'none.pem') } })).rejects.toThrow(/none\.pem/);
  });

  it.each([
    [tooLarge('too large'), 552, /5\.3\.4 The mail is larger than 1 MB/],
    [new TooManyRequests('too many', 60), 452, /4\.3\.1/],
    [new Error('away'), 451, /4\.3\.0/],
  ])('answers a mail that cannot be stored after all of it was sent: %s', async (error, responseCode, response) => {
    const accept = async (_envelope: MailEnvelope<string>, content: AsyncIterator<Uint8Array>) => {
      await content.next();
      throw error;
    };
    const receiver = await started({ accept });
    const mail = { text: 'x'.repeat(100_000) };
    await expect(
      createTransport({ host: '127.0.0.1', port: receiver.port, ignoreTLS: true }).sendMail({
        ...mail,
        from: 'ann@example.com',
        to: 'support@in.acme.example',
      }),
    ).rejects.toMatchObject({ responseCode, response: expect.stringMatching(response) });
    await receiver.stop();
  });

  it('does not take the beginning of a mail for all of it when its sender hangs up', async () => {
    let outcome: Promise<string> | undefined;
    const accept = (_envelope: MailEnvelope<string>, content: AsyncIterator<Uint8Array>) => {
      outcome = textOf(content);
      return outcome.then(() => undefined);
    };
    const receiver = await started({ accept });
    const socket = createConnection({ host: '127.0.0.1', port: receiver.port });
    for (const line of [...DIALOGUE, 'DATA', undefined]) {
      await once(socket, 'data');
      socket.write(line === undefined ? 'Subject: Hi\r\n\r\nThe beg' : `${line}\r\n`);
    }
    while (outcome === undefined) await new Promise(setImmediate);
    socket.destroy();
    await expect(outcome).rejects.toThrow();
    await receiver.stop();
  });

  it.each([
    ['is being read', (content: AsyncIterator<Uint8Array>) => textOf(content).then(() => undefined)],
    ['was refused', () => Promise.reject(new TooManyRequests('too many', 60))],
  ])('ends the connection of a sender whose mail takes too long, though it is never idle: %s', async (_, take) => {
    const outcome = Promise.withResolvers<void>();
    const accept = (_envelope: MailEnvelope<string>, content: AsyncIterator<Uint8Array>) => {
      const accepted = take(content);
      accepted.then(outcome.resolve, outcome.reject);
      return accepted;
    };
    const receiver = await started({ accept, mailTimeoutMs: 300 });
    const socket = createConnection({ host: '127.0.0.1', port: receiver.port });
    for (const line of [...DIALOGUE, 'DATA']) {
      await once(socket, 'data');
      socket.write(`${line}\r\n`);
    }
    let answers = '';
    socket.on('data', (chunk) => {
      answers += chunk;
    });
    const trickle = setInterval(() => socket.write('x'), 20).unref();
    await expect(outcome.promise).rejects.toThrow();
    await once(socket, 'end');
    clearInterval(trickle);
    socket.destroy();
    expect(answers).toMatch(/^354 .*\r\n421 .*4\.4\.2 The mail took too long, try again later\r\n$/);
    await receiver.stop();
  });

  it('asks the sender to retry while mailboxes cannot be looked up', async () => {
    const receiver = await started();
    await expect(send(receiver.port, 'broken@in.acme.example', {})).rejects.toMatchObject({ responseCode: 451 });
    await receiver.stop();
    expect(receiver.taken).toEqual([]);
  });
});
