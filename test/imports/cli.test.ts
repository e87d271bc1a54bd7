import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../src/cli/commands.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { ADA, AGENT, FORMER, lines, TICKET } from './support/zendesk.ts';

let stack: Stack;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

async function cli(args: string[], env: Record<string, string> = {}) {
  const printed = { code: 0, out: '', err: '' };
  printed.code = await runCommand(['import', ...args], {
    env: { SWITCHBOARD_URL: stack.url, SWITCHBOARD_KEY: stack.org.key, ...env },
    print: (text) => {
      printed.out += `${text}\n`;
    },
    printError: (text) => {
      printed.err += `${text}\n`;
    },
  });
  return printed;
}
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it('the command imports a file, follows it and prints what was left out, and can be run twice', async () => {
  const users = await cli(['zendesk', 'contacts', file('users.json', lines(ADA, AGENT, FORMER))]);
  expect(users).toMatchObject({ code: 0 });
  expect(users.err).toContain('100 %, 3 records, 2 left out');
  expect(users.out).toBe(
    [
      '2 9001  record  agent  An agent is no contact: invite members by POST /members',
      '3 9002  record  agent  An agent is no contact: invite members by POST /members',
      '2 records left out: agent',
      '3 records: 1 created, 0 updated, 0 unchanged, 2 left out, 0 incomplete\n',
    ].join('\n'),
  );
  const tickets = file('tickets.json', lines(TICKET));
  expect((await cli(['zendesk', 'conversations', tickets])).out).toContain('1 created');
  expect((await cli(['zendesk', 'conversations', tickets])).out).toContain('0 created, 0 updated, 1 unchanged');
});

it('the command writes the report into a file, and imports large CSV in pieces that each have the first line', async () => {
  const padding = 'x'.repeat(4_000);
  const csv = Array.from({ length: 5_000 }, (_, n) => `${n + 1},N${n},p${n}@example.com,"${padding}\n"\n`);
  const path = file('contacts.csv', `id,name,email,notes\n${csv.join('')}5001,X,nonsense,\n`);
  const report = join(folder, 'report.csv');
  const { code, out } = await cli(['chatwoot', 'contacts', path, '--report', report]);
  expect([code, out]).toEqual([0, expect.stringContaining('5001 records: 5001 created')]);
  expect(readFileSync(report, 'utf8').trim().split('\n')).toEqual([
    'record,external_id,left_out,code,reason',
    '5001,5001,part,email_invalid,The e-mail address is not valid',
  ]);
});

it('the command says what is wrong with its use, with the file and with the key', async () => {
  const path = file('wrong.json', lines(TICKET));
  expect((await cli(['zendesk', 'contacts'])).code).toBe(2);
  expect((await cli(['helpscout', 'contacts', path])).code).toBe(2);
  expect((await cli(['zendesk', 'contacts', path], { SWITCHBOARD_KEY: '' })).code).toBe(2);
  expect(await cli(['zendesk', 'contacts', join(folder, 'none.json')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no such file'),
  });
  expect(await cli(['hubspot', 'contacts', path])).toMatchObject({
    code: 1,
    err: expect.stringContaining('writes contacts as CSV'),
  });
  expect(await cli(['zendesk', 'contacts', path], { SWITCHBOARD_KEY: 'nonsense' })).toMatchObject({
    code: 1,
    err: expect.stringContaining('401'),
  });
});
