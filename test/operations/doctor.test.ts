import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import pg from 'pg';
import { runCommand } from '../../src/cli/commands.ts';
import type { Finding } from '../../src/cli/doctor/findings.ts';
import { type FakeDns, startFakeDns } from '../support/fakes/dns.ts';
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

async function doctor(more: Record<string, string> = {}, ...flags: string[]) {
  const printed: string[] = [];
  const env = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporalAddress(),
    TEMPORAL_NAMESPACE: testNamespace(),
    JWT_SECRET: 'x'.repeat(32),
    SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    DNS_SERVERS: dns.address,
    STORAGE_URL: `file://${folder}`,
    ...more,
  };
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
    expect(text.split('\n').length).toBeLessThan(40);
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
    expect(of('disk of files')?.state).toBe('fault');
  });

  it('warns of a certificate that ends within two weeks, and that alone is no fault of it', async () => {
    const files = { INBOUND_TLS_CERT: file('short.crt'), INBOUND_TLS_KEY: file('short.key') };
    expect((await findingsOf(files)).of('certificate for mail')).toMatchObject({ state: 'warning' });
  });

  it('finds out what it can while Postgres and Temporal are away, or the settings are wrong', async () => {
    const away = await findingsOf({ DATABASE_URL: 'postgres://127.0.0.1:1/x', TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(away.code).toBe(1);
    expect([away.of('Postgres')?.state, away.of('Temporal')?.state, away.of('disk of files')?.state]).toEqual([
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
});
