import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { envExample } from '../../scripts/env-example.ts';
import { loadConfig, settings } from '../../src/config.ts';
import { createDns } from '../../src/providers/egress/dns.ts';
import { SETTINGS_IN_FILES } from '../../src/setting-files.ts';
import { TASK_QUEUES } from '../../src/temporal/contract.ts';
import { readDocument } from './documents.ts';

function rowOf(name: string, schema: z.ZodType): string {
  const absent = schema.safeParse(undefined);
  const value = absent.success ? absent.data : undefined;
  const hasDefault = value !== undefined && !(Array.isArray(value) && value.length === 0);
  const fallback = absent.success ? (hasDefault ? `\`${String(value)}\`` : '') : 'required';
  return `| \`${name}\` | ${fallback} | ${schema.description} |`;
}

describe('docs/configuration.md', () => {
  it('names every environment variable with its default and meaning, and no other', () => {
    const [, table = ''] = readDocument('docs/configuration.md').split(
      '| variable | default | meaning |\n|---|---|---|\n',
    );
    const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
    expect(rows).toEqual(Object.entries(settings).map(([name, schema]) => rowOf(name, schema)));
  });
});

describe('.env.example', () => {
  it('has every environment variable with its meaning and default, as scripts/env-example.ts writes it', () => {
    expect(readDocument('.env.example')).toBe(envExample());
  });
});

describe('docker-compose.yml', () => {
  it('passes on every setting', () => {
    const compose = readDocument('docker-compose.yml');
    const ofTheImage = ['WORKFLOW_BUNDLE', 'HOST', 'DEVELOPMENT'];
    const missing = Object.keys(settings).filter((name) => !new RegExp(`^ +${name}: `, 'm').test(compose));
    expect(missing).toEqual(ofTheImage);
  });

  it('divides all queues among its workers, each to one of them', () => {
    const lists = [...readDocument('docker-compose.yml').matchAll(/^ +WORKER_QUEUES: (.+)$/gm)];
    const polled = lists.flatMap(([, list = '']) => list.split(','));
    expect(polled.toSorted()).toEqual([...TASK_QUEUES].toSorted());
  });
});

describe('the configuration', () => {
  const valid = {
    DATABASE_URL: 'postgres://localhost/x',
    JWT_SECRET: 'x'.repeat(32),
    SECRET_KEYS: `k:${'A'.repeat(43)}=`,
  };

  it('names every setting that is missing or wrong at once', () => {
    const wrong = {
      JWT_SECRET: 'short',
      PORT: '70000',
      PUBLIC_URL: 'nowhere',
      SECRET_KEYS: 'k:short',
      SMTP_URL: 'mail.example.com',
      EGRESS_ALLOW: '10.0.0.0/8,inside',
      DNS_SERVERS: '9.9.9.9,resolver',
      WORKER_QUEUES: 'crawls,mail',
    };
    for (const name of ['DATABASE_URL', ...Object.keys(wrong)]) {
      expect(() => loadConfig(wrong)).toThrow(name);
    }
  });

  it.each([
    ['https://support.example.com', true],
    ['http://127.0.0.1:8080', true],
    ['http://localhost:8080', true],
    ['http://support.example.com', false],
    ['http://10.0.0.1', false],
    ['https://example.com/support', true],
  ])('takes the public address %s: %s', (PUBLIC_URL, isTaken) => {
    const load = () => loadConfig({ ...valid, PUBLIC_URL });
    if (isTaken) expect(load().PUBLIC_URL).toBe(PUBLIC_URL);
    else expect(load).toThrow('PUBLIC_URL');
  });

  it.each([
    ['9.9.9.9', true],
    ['9.9.9.9, 127.0.0.1:5353', true],
    ['::1,[::1],[::1]:5353', true],
    ['9.9.9', false],
    ['9.9.9.9:0', false],
    ['9.9.9.9:65536', false],
    ['[::1', false],
    ['[9.9.9.9]:53', false],
    ['dns.example.com', false],
  ])('takes the resolvers %s: %s', (DNS_SERVERS, areTaken) => {
    const load = () => loadConfig({ ...valid, DNS_SERVERS });
    if (areTaken) expect(() => createDns({ servers: load().DNS_SERVERS })).not.toThrow();
    else expect(load).toThrow('DNS_SERVERS');
  });

  it('reads secrets from files, and says which is set twice or cannot be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    const [secret, gone] = [join(folder, 'jwt'), join(folder, 'gone')];
    writeFileSync(secret, `${'y'.repeat(40)}\n`);
    const { JWT_SECRET: _, ...others } = valid;
    expect(loadConfig({ ...others, JWT_SECRET_FILE: secret }).JWT_SECRET).toBe('y'.repeat(40));
    expect(() => loadConfig({ ...valid, JWT_SECRET_FILE: secret })).toThrow('JWT_SECRET is set too');
    expect(() => loadConfig({ ...others, JWT_SECRET_FILE: gone })).toThrow('JWT_SECRET_FILE: the file cannot be read');
    rmSync(folder, { recursive: true });
    for (const name of SETTINGS_IN_FILES) {
      expect(Object.keys(settings)).toContain(name);
      expect(readDocument('docs/configuration.md')).toContain(`\`${name}_FILE\``);
    }
  });

  it('wants the domain of mail that comes in together with its port', () => {
    const load = (inbound: object) => loadConfig({ ...valid, ...inbound });
    const { INBOUND_DOMAIN } = load({ INBOUND_DOMAIN: 'In.Acme.example', INBOUND_SMTP_PORT: '2525' });
    expect(INBOUND_DOMAIN).toBe('in.acme.example');
    expect(() => load({ INBOUND_DOMAIN: 'in.acme.example' })).toThrow('together');
    expect(() => load({ INBOUND_SMTP_PORT: '2525' })).toThrow('together');
    expect(() => load({ INBOUND_DOMAIN: 'https://acme.example', INBOUND_SMTP_PORT: '2525' })).toThrow('INBOUND_DOMAIN');
  });
});
