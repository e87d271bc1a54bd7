import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFaultyServer, tooManyRequests } from '../support/fakes/faulty-server.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url);
/** It waits for a minute, and so has a test of its own. */
const SLACK = 'slack-on-sla-breach.ts';
const EXAMPLES = [
  ...readdirSync(new URL('examples/', ROOT)).filter((name) => name.endsWith('.ts') && name !== SLACK),
  ...['moving-in/import.ts', 'crm-sync/try.ts', 'warehouse/try.ts', 'evals-in-ci/run.ts'],
];
const BUILD_TIMEOUT_MS = 180_000;

let stack: Stack;
beforeAll(async () => {
  await run(process.execPath, [fileURLToPath(new URL('sdk/scripts/build.ts', ROOT))]);
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
}, BUILD_TIMEOUT_MS);
afterAll(() => stack.close());

const pathOf = (name: string) => fileURLToPath(new URL(`examples/${name}`, ROOT));
const envWith = (more: Record<string, string> = {}) => ({
  ...{ ...process.env, NODE_OPTIONS: '', SWITCHBOARD_URL: stack.url, SWITCHBOARD_KEY: stack.org.key },
  ...more,
});
const runExample = async (name: string, { args = [] as string[], env = {} } = {}) =>
  (await run(process.execPath, [pathOf(name), ...args], { env: envWith(env) })).stdout;
/** Returns how much of what examples make the org has. */
async function countOwned(): Promise<number[]> {
  const lists = [
    ...['/contacts', '/webhooks', '/org/api-keys', '/chat/sessions?status=open', '/sequences', '/suppressions'],
    ...['/sla/policies', '/help-center/articles', '/actions', '/autopilot/evals', '/tags'],
  ];
  const countIn = async (path: string) => {
    const { body } = await stack.org.get(path);
    return (body.items ?? body).length;
  };
  return Promise.all(lists.map(countIn));
}

/** What the second run prints. */
const PRINTED: Record<string, RegExp> = {
  'verify-webhook.ts': /got 401\nReceived webhook\.test of/,
  'import-contacts.ts': /^2 contacts are new, 0 existed, 1 lines were refused\n[\s\S]*email: must be/,
  'export-conversations.ts': /^\d+ conversations with \d+ messages\n$/,
  'close-tickets.ts': /^Ticket \d+ is closed\n$/,
  'campaign.ts': /^ada\.campaign@example\.com: (?:accepted|sent|delivered)\ngrace\.campaign@example\.com: suppressed/m,
  'help-center-answers.ts': /^answered: Refunds for wool scarves\n$/,
  'moving-in/import.ts':
    /^contacts: 2 are new, 1 were left out[\s\S]*conversations: 2 are new, 1 were left out[\s\S]*help_center: 1 are new, 0 were left out/,
  'crm-sync/try.ts':
    /^example-crm-3: email: .+\n2 created, 0 updated or unchanged, 0 deleted, 1 refused\n\{"bookmarks":.+2026-01-01.+\n {2}Ada Lovelace: free\n {2}Grace: pro\n0 created, 1 updated or unchanged, 1 deleted, 0 refused\n.+2026-01-02.+\n {2}Ada King: pro\n$/,
  'warehouse/try.ts': /^The file has each event once and in order, the 10 of the interruption too\n$/,
  'evals-in-ci/run.ts': /^2 of 2 cases passed: enough\n$/,
  'actions-from-openapi.ts': /^1 created, 0 updated\n200 \{"number":"A-1","state":"shipped","expected":"Friday"\}\n$/,
  'usage-report.ts':
    /^id,name,sessions,messages,deliveries,ai_calls,ai_cost\n[0-9a-f-]{36},Org,\d+,\d+,\d+,\d+,[\d.]+\n$/,
  'privacy-request.ts':
    /^1 conversations with 1 files, 0 deliveries\nThe conversation has none of these words and files any more\n$/,
  'rotate-key.ts': /^The former key is refused, and the new one works\n$/,
};

it.each(EXAMPLES)('%s runs twice, and leaves nothing behind', async (name) => {
  const before = await countOwned();
  await runExample(name);
  expect(await runExample(name)).toMatch(PRINTED[name] as RegExp);
  expect(await countOwned()).toEqual(before);
});

it('slack-on-sla-breach.ts runs twice, tells Slack again what it was too busy to take, and leaves nothing behind', async () => {
  const before = await countOwned();
  const told: string[] = [];
  const faults = [tooManyRequests('1')];
  const slack = await startFaultyServer(
    ({ method, headers, body }) => {
      const { text: said, ...rest } = JSON.parse(body);
      if (method !== 'POST' || headers['content-type'] !== 'application/json' || Object.keys(rest).length > 0)
        return { status: 400, body: Buffer.from('invalid_payload') };
      told.push(said);
      return { status: 200, body: Buffer.from('ok') };
    },
    () => faults.shift(),
  );
  expect(await runExample(SLACK, { env: { SLACK_WEBHOOK_URL: slack.url } })).toBe('');
  await slack.close();
  const message =
    /^:rotating_light: <http:\/\/127.0.0.1:\d+\/console\/s\/[0-9a-f-]{36}\|Ticket \d+> of Ada &amp; Co has missed its first reply \(Example\)$/;
  expect([told, faults]).toEqual([[expect.stringMatching(message)], []]);
  expect((await runExample(SLACK)).trimEnd()).toMatch(message);
  expect(await countOwned()).toEqual(before);
}, 300_000);

it('evals-in-ci/run.ts fails the build if fewer cases pass than it wants, and says what was expected', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evals-'));
  const file = join(folder, 'cases.json');
  const messages = [{ sender: 'contact', text: 'I want to talk to a human' }];
  const cases = ['handed_off', 'answered'].map((ends) => ({ name: `ends ${ends}`, messages, checks: { ends } }));
  writeFileSync(file, JSON.stringify(cases));
  const other = { ...cases[1], name: 'ends answered' };
  const { body: kept } = await stack.org.post('/autopilot/evals', other);
  const failure = await runExample('evals-in-ci/run.ts', { args: [file] }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 1,
    stdout: 'FAILED ends answered\n  ends: expected answered, got handed_off\n1 of 2 cases passed: below 1\n',
  });
  const enough = await runExample('evals-in-ci/run.ts', { args: [file], env: { MIN_PASS_SHARE: '0.5' } });
  expect(enough).toContain('1 of 2 cases passed: enough');
  expect((await stack.org.delete(`/autopilot/evals/${kept.id}`)).status).toBe(200);
  rmSync(folder, { recursive: true });
});

it('usage-report.ts has a line for each organization of a partner, and leaves no key that works', async () => {
  const partner = { SWITCHBOARD_PARTNER_KEY: stack.partner.key };
  const keys = async () => (await stack.org.get('/org/api-keys')).body.items.length;
  const before = await keys();
  const printed = await runExample('usage-report.ts', { env: partner });
  for (const { id, name } of [stack.org, stack.other]) expect(printed).toContain(`\n${id},${name},`);
  expect(await keys()).toBe(before);
});

it('privacy-request.ts hands over texts and files of the person with this address alone, and removes them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'privacy-'));
  const attachments = [{ name: 'photo.txt', base64: btoa('what was sent'), mime_type: 'text/plain' }];
  const sessions: string[] = [];
  for (const email of ['subject@example.com', 'bystander@example.com']) {
    const { body: contact } = await stack.org.post('/contacts', { contact: { email } });
    const { body: session } = await stack.org.post('/chat/sessions', { contact_id: contact.id });
    const message = { type: 'text', text: `Words of ${email}`, attachments };
    await stack.org.post(`/chat/sessions/${session.id}/send`, { sender: 'contact', message });
    sessions.push(session.id);
  }
  const printed = await runExample('privacy-request.ts', { args: ['subject@example.com', folder] });
  expect(printed).toBe('1 conversations with 1 files, 0 deliveries\n');
  const record = readFileSync(join(folder, 'contact.json'), 'utf8');
  expect(record).toContain('Words of subject@example.com');
  expect(record).not.toContain('bystander');
  expect(readFileSync(join(folder, '1-photo.txt'), 'utf8')).toBe('what was sent');
  const histories = await Promise.all(
    sessions.map(async (id) => JSON.stringify((await stack.org.get(`/chat/sessions/${id}/history`)).body)),
  );
  expect(histories[0]).not.toMatch(/Words of|photo/);
  expect(histories[1]).toContain('Words of bystander@example.com');
  expect((await stack.org.get('/contacts?email=subject@example.com')).body.items).toEqual([]);
  rmSync(folder, { recursive: true });
});

it('crm-sync/target.ts passes a state on only once everything before it is saved, and makes nothing twice after a kill', async () => {
  const org = await stack.createOrg();
  const record = (nth: number) => ({
    ...{ type: 'RECORD', stream: 'contacts' },
    record: { id: `crm-${nth}`, properties: { email: `crm-${nth}@example.com` } },
  });
  const records = (from: number, to: number) => Array.from({ length: to - from }, (_, nth) => record(from + nth));
  const input = [
    ...records(0, 500),
    { type: 'STATE', value: 500 },
    ...records(500, 1_200),
    { type: 'STATE', value: 1_200 },
  ];
  const lines = input.map((message) => `${JSON.stringify(message)}\n`);
  const start = () => {
    const target = spawn(process.execPath, [pathOf('crm-sync/target.ts')], {
      env: envWith({ SWITCHBOARD_KEY: org.key }),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return { target, ended: once(target, 'close') };
  };
  const countContacts = async () => {
    const counted = stack.db.selectFrom('contacts').select(({ fn }) => fn.countAll<string>().as('contacts'));
    return Number((await counted.where('org_id', '=', org.id).executeTakeFirstOrThrow()).contacts);
  };

  const first = start();
  first.target.stdin.write(lines.slice(0, 1_100).join(''));
  for await (const state of createInterface({ input: first.target.stdout })) {
    expect([state, (await countContacts()) >= 500]).toEqual(['500', true]);
    first.target.kill('SIGKILL');
  }
  await first.ended;

  const second = start();
  second.target.stdin.end(lines.slice(500).join('')); // as a tap does that continues after the state
  expect(await text(second.target.stdout)).toBe('500\n1200\n');
  expect(await second.ended).toEqual([0, null]);
  expect(await countContacts()).toBe(1_200);
});
