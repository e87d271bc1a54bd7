import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { runCommand } from '../../src/cli/commands.ts';
import type { Finding } from '../../src/cli/doctor/findings.ts';
import { connect } from '../../src/db/connect.ts';
import { createOrg, createPartner } from '../../src/partners/service.ts';
import { createSecrets } from '../../src/secrets.ts';
import { type FakeDns, startFakeDns } from '../support/fakes/dns.ts';
import { startMailSink } from '../support/fakes/mail-sink.ts';
import { createTestDatabase, type TestDatabase, temporalAddress, testNamespace } from '../support/stack/servers.ts';

let database: TestDatabase;
let dns: FakeDns;
let tls: Server;
let folder: string;
const file = (name: string) => join(folder, name);
const makeCertificate = (name: string, days: number) =>
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      String(days),
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=DNS:localhost',
    ].concat('-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)),
    { stdio: 'ignore' },
  );
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  makeCertificate('long', 90);
  makeCertificate('short', 3);
  [database, dns] = await Promise.all([createTestDatabase(), startFakeDns()]);
  tls = createServer({ key: readFileSync(file('long.key')), cert: readFileSync(file('long.crt')) });
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await Promise.all([database.drop(), dns.close()]);
  tls.close();
  rmSync(folder, { recursive: true });
});

const JWT_SECRET = randomBytes(32).toString('hex');
const KEY = `k:${randomBytes(32).toString('base64')}`;
const environment = (more: Record<string, string>) => ({
  DATABASE_URL: database.url,
  TEMPORAL_ADDRESS: temporalAddress(),
  TEMPORAL_NAMESPACE: testNamespace(),
  JWT_SECRET,
  SECRET_KEYS: KEY,
  DNS_SERVERS: dns.address,
  STORAGE_URL: `file://${folder}`,
  ...more,
});

async function doctor(more: Record<string, string> = {}, ...flags: string[]) {
  const printed: string[] = [];
  const env = environment(more);
  const print = (text: string) => void printed.push(text);
  const code = await runCommand(['doctor', ...flags], { env, print, printError: print });
  return { code, text: printed.join('\n') };
}
async function findingsOf(more: Record<string, string> = {}) {
  const { code, text } = await doctor(more, '--json');
  const findings: Finding[] = JSON.parse(text);
  return { code, of: (check: string) => findings.find((finding) => finding.check === check), findings };
}

describe('cli doctor', () => {
  it('finds a good setup in order, on one page, and ends with 0', async () => {
    dns.set('mail.example.com', { exchanges: ['second.example.com', 'first.example.com'] });
    for (const name of ['first.example.com', 'second.example.com']) dns.set(name, { addresses: ['192.0.2.1'] });
    const { code, text } = await doctor({
      INBOUND_DOMAIN: 'mail.example.com',
      INBOUND_SMTP_PORT: '2525',
      INBOUND_TLS_CERT: file('long.crt'),
      INBOUND_TLS_KEY: file('long.key'),
    });
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('\n0 faults, ') });
    expect(text).toMatch(/^ok +Postgres +18/m);
    expect(text).toMatch(/^ok +connections +3 processes with pools of 20 need up to 89 of/m);
    expect(text).toMatch(/^ok +DNS of INBOUND_DOMAIN +mail for mail.example.com goes to first.example.com, second/m);
    expect(text).toMatch(/^ok +search attributes +OrgId/m);
    expect(text).toMatch(/^ok +programs +Switchboard .+ on Node 24/m);
    expect(text).toMatch(/^ok +outbox +nothing waits/m);
    expect(text).toMatch(/^ok +SECRET_KEYS +k encrypts, and there is no other/m);
    expect(text).toMatch(/^ok +disk of Postgres +the database has/m);
    expect(text).toMatch(/^(?:ok|warning) +workers +/m);
    expect(text.split('\n').length).toBeLessThan(50);
  });

  it('says what the mail server offers, and what refuses the sign-in, without the password that the server repeats', async () => {
    const password = 'pass word/é 4711';
    const url = (port: number) =>
      `smtp://user:${encodeURIComponent(password)}@127.0.0.1:${port}?allow_unencrypted_login=true`;
    const server = new SMTPServer({
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      size: 20_000_000,
      onAuth: (auth, _session, done) => done(new Error(`no such password: ${auth.password}`)),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const sink = await startMailSink();
    try {
      const refused = await doctor({ SMTP_URL: url((server.server.address() as AddressInfo).port) }, '--json');
      expect(refused.code).toBe(1);
      const findings: Finding[] = JSON.parse(refused.text);
      expect(findings.find(({ check }) => check === 'mail server')).toMatchObject({
        state: 'fault',
        found: expect.stringContaining('no such password'),
      });
      for (const secret of [password, encodeURIComponent(password), JWT_SECRET, KEY.slice(2)])
        expect(refused.text).not.toContain(secret);
      const { of } = await findingsOf({ SMTP_URL: sink.url, SIGN_IN_FROM: 'hello@sender.example.com' });
      expect(of('mail server')).toMatchObject({
        state: 'warning',
        found: expect.stringMatching(/takes mail without a sign-in, without TLS; it offers .*8BITMIME/),
        remedy: expect.stringContaining('STARTTLS'),
      });
      expect(of('DNS of SIGN_IN_FROM')).toMatchObject({ state: 'warning', remedy: expect.stringContaining('v=spf1') });
      dns.set('sender.example.com', ['v=spf1 -all', 'v=spf1 mx -all']);
      const doubled = await findingsOf({ SMTP_URL: sink.url, SIGN_IN_FROM: 'hello@sender.example.com' });
      expect(doubled.of('DNS of SIGN_IN_FROM')?.state).toBe('fault');
    } finally {
      await Promise.all([sink.close(), new Promise<void>((resolve) => server.close(() => resolve()))]);
    }
  });

  it('names what else would fail later: a key that is gone, names without an address, an outbox that nobody empties', async () => {
    const other = createSecrets(`gone:${randomBytes(32).toString('base64')}`);
    const { db, pool: client, close } = connect(database.url, { poolSize: 1 });
    const partner = await createPartner(db, { name: 'Partner' });
    const { id: orgId } = await createOrg(db, partner.id, { name: 'Org' });
    const sealed = other.encrypt('a token', { orgId, table: 'integrations', column: 'secrets', row: 'llm/default' });
    await client.query(
      `insert into integrations (org_id, kind, name, provider, settings, secrets) values ($1, 'llm', 'default', 'x', '{}', $2)`,
      [orgId, JSON.stringify({ token: sealed })],
    );
    await client.query(
      `insert into outbox (org_id, kind, type, subject_id, payload, created_at) values ($1, 'event', 'x', $1, '{}', now() - interval '1 hour')`,
      [orgId],
    );
    await close();
    dns.set('in.example.com', { exchanges: ['lost.example.com'] });
    const { code, of } = await findingsOf({
      DASHBOARD_URL: 'https://console.example.com',
      INBOUND_DOMAIN: 'in.example.com',
      INBOUND_SMTP_PORT: '2525',
      JWT_SECRET: 'ab'.repeat(16),
      STORAGE_URL: `s3://bucket/x?endpoint=${encodeURIComponent('http://127.0.0.1:1')}`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'a secret of the bucket',
      TEMPORAL_NAMESPACE: 'default',
    });
    // No worker of a test is in this namespace.
    expect(of('workers')).toMatchObject({
      state: 'warning',
      found: 'no worker polls interactive, bulk, crawls, embedding, webhooks',
    });
    expect(of('clock of Temporal')?.state).toBe('skipped');
    expect(code).toBe(1);
    expect(of('DNS of DASHBOARD_URL')).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('DASHBOARD_URL'),
    });
    expect(of('DNS of INBOUND_DOMAIN')).toMatchObject({
      state: 'fault',
      found: expect.stringContaining('lost.example'),
    });
    expect(of('JWT_SECRET')).toMatchObject({ state: 'warning', remedy: expect.stringContaining('openssl rand') });
    expect(of('files')).toMatchObject({ state: 'fault', remedy: expect.stringContaining('AWS_SECRET_ACCESS_KEY') });
    expect(of('outbox')).toMatchObject({ state: 'warning', found: expect.stringMatching(/3\d\d\d s/) });
    expect(of('SECRET_KEYS')).toMatchObject({
      state: 'fault',
      found: '1 stored secrets need the key gone, which is not there',
    });
  });

  it('finds certificates that it trusts in order, and runs as the command of the operator', async () => {
    const server = new SMTPServer({
      key: readFileSync(file('long.key')),
      cert: readFileSync(file('long.crt')),
      authMethods: ['PLAIN'],
      onAuth: (_auth, _session, done) => done(null, { user: 'user' }),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const env = environment({
      SMTP_URL: `smtp://user:secret-word@localhost:${(server.server.address() as AddressInfo).port}`,
      PUBLIC_URL: `https://localhost:${(tls.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: file('long.crt'),
      PATH: process.env.PATH ?? '',
    });
    const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [main, 'doctor'], { env }).catch(
        (ended: { stdout: string }) => ended,
      );
      expect(stdout).toMatch(/^ok +certificate of PUBLIC_URL +valid until/m);
      expect(stdout).toMatch(/^ok +mail server +localhost:\d+ has accepted the sign-in, by TLS; it offers .*AUTH/m);
      expect(stdout).not.toContain('secret-word');
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it('warns of a certificate that ends within two weeks, and that alone is no fault of it', async () => {
    const files = { INBOUND_TLS_CERT: file('short.crt'), INBOUND_TLS_KEY: file('short.key') };
    expect((await findingsOf(files)).of('certificate for mail')).toMatchObject({ state: 'warning' });
  });

  it('finds out what it can while Postgres and Temporal are away, or the settings are wrong', async () => {
    const away = await findingsOf({ DATABASE_URL: 'postgres://127.0.0.1:1/x', TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(away.code).toBe(1);
    expect([away.of('Postgres')?.state, away.of('Temporal')?.state, away.of('files')?.state]).toEqual([
      'fault',
      'fault',
      'ok',
    ]);
    const wrong = await findingsOf({ PORT: '70000', JWT_SECRET: 'short' });
    expect(wrong.code).toBe(1);
    expect(wrong.findings.map(({ found }) => found.split(':')[0])).toEqual(
      expect.arrayContaining(['PORT', 'JWT_SECRET']),
    );
  });

  it('names each fault with its remedy, and ends with 1', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`);
    await client.query('drop extension btree_gin cascade');
    await client.end();
    const { code, of } = await findingsOf({
      DATABASE_PROCESSES: '500',
      TEMPORAL_NAMESPACE: 'nowhere',
      PUBLIC_URL: `https://localhost:${(tls.address() as AddressInfo).port}`,
      INBOUND_DOMAIN: 'gone.example.com',
      INBOUND_SMTP_PORT: '2525',
      INBOUND_TLS_CERT: file('long.crt'),
      INBOUND_TLS_KEY: file('short.key'),
      STORAGE_URL: `file://${folder}/gone`,
    });
    expect(code).toBe(1);
    expect(of('schema')).toMatchObject({ state: 'fault', found: 'is newer: 9999-later' });
    expect(of('extensions')).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('create extension btree_gin'),
    });
    expect(of('connections')).toMatchObject({ state: 'fault', remedy: expect.stringContaining('DATABASE_PROCESSES') });
    expect(of('namespace')).toMatchObject({ state: 'fault', found: 'nowhere does not exist' });
    expect(of('time zones')?.state).toBe('skipped');
    expect(of('certificate of PUBLIC_URL')).toMatchObject({
      state: 'fault',
      found: expect.stringContaining('self-signed'),
    });
    expect(of('DNS of INBOUND_DOMAIN')).toMatchObject({ state: 'fault', found: 'gone.example.com has no MX record' });
    expect(of('certificate for mail')).toMatchObject({ state: 'fault', found: 'INBOUND_TLS_KEY is not its key' });
    expect(of('files')?.state).toBe('fault');
  });
});
