import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { loadConfig, settings } from '../src/config.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

function rowOf(name: string, schema: z.ZodType): string {
  const absent = schema.safeParse(undefined);
  const value = absent.success ? absent.data : undefined;
  const hasDefault = value !== undefined && !(Array.isArray(value) && value.length === 0);
  const fallback = absent.success ? (hasDefault ? `\`${String(value)}\`` : '') : 'required';
  return `| \`${name}\` | ${fallback} | ${schema.description} |`;
}

describe('the README', () => {
  it('names every environment variable with its default and meaning, and no other', () => {
    const [, table = ''] = readme.split('| variable | default | meaning |\n|---|---|---|\n');
    const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
    expect(rows).toEqual(Object.entries(settings).map(([name, schema]) => rowOf(name, schema)));
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
});
