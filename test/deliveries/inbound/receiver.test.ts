import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { type MailEnvelope, startMailReceiver } from '../../../src/providers/email/mail-receiver.ts';

const textOf = async (content: AsyncIterator<Uint8Array>) => {
  const chunks: Uint8Array[] = [];
  for (let next = await content.next(); next.done !== true; next = await content.next()) chunks.push(next.value);
  return Buffer.concat(chunks).toString();
};

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
    const taken: { envelope: MailEnvelope; raw: string }[] = [];
    const receiver = await startMailReceiver({
      name: 'in.acme.example',
      host: '127.0.0.1',
      port: 0,
      stateOf: async (address) => (address.startsWith('broken') ? Promise.reject(new Error('away')) : 'open'),
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
        recipients: ['support@in.acme.example'],
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

  it('asks the sender to retry while mailboxes cannot be looked up', async () => {
    const receiver = await started();
    await expect(send(receiver.port, 'broken@in.acme.example', {})).rejects.toMatchObject({ responseCode: 451 });
    await receiver.stop();
    expect(receiver.taken).toEqual([]);
  });
});
