import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadDemoHelpCenter } from '../../src/dev/demo/help-center.ts';
import { type MailCatcher, startMailCatcher } from '../../src/dev/mail/catcher.ts';
import { anyFreePort } from '../../src/dev/ports.ts';
import type { DevJson } from '../../src/dev/stack.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { DOCUMENTS, type Example, examplesOf, readDocument } from './documents.ts';

const MAX_RUN_MS = 120_000;
const TEST_LIMIT_MS = MAX_RUN_MS + 20_000;
/** Documents whose examples make everything anew, or remove it in the end. */
const REPEATABLE = ['README.md', 'docs/webhooks.md'];
/** Prints what the examples before it have left running. What was ended has two seconds to end. */
const LEFT_RUNNING: Example = {
  commands: 'for _ in {1..20}; do [ "$(jobs -pr)" = "" ] && break; sleep 0.1; done; jobs -pr',
  output: '',
};

const documents = DOCUMENTS.map((path) => ({ path, examples: examplesOf(readDocument(path)) })).filter(
  ({ examples }) => examples.length > 0,
);

let folder: string;
let mail: MailCatcher;
let stack: Stack;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-docs-'));
  const [smtpPort, httpPort] = [await anyFreePort(), await anyFreePort()];
  mail = await startMailCatcher({ smtpPort, httpPort, file: join(folder, 'mail.ndjson') });
  stack = await startStack({ env: { SMTP_URL: mail.smtpUrl, EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(async () => {
  await stack.close();
  await mail.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('finds the examples of the README and of the documents that show the API', () => {
  expect(documents.map(({ path }) => path)).toEqual([
    'README.md',
    'docs/ai-team.md',
    'docs/ai.md',
    'docs/analytics.md',
    'docs/automations.md',
    'docs/conversations.md',
    'docs/guarantees.md',
    'docs/insights.md',
    'docs/knowledge.md',
    'docs/moving-in.md',
    'docs/webhooks.md',
  ]);
});

it.each(documents)(
  'the examples of $path print what the document says, and leave nothing running',
  async ({ path, examples }) => {
    const checkout = await makeCheckout(path === 'README.md');
    await expectPrinted(checkout, [...examples, LEFT_RUNNING]);
    if (REPEATABLE.includes(path)) await expectPrinted(checkout, [...examples, LEFT_RUNNING]);
  },
  TEST_LIMIT_MS,
);

async function expectPrinted(checkout: string, examples: Example[]): Promise<void> {
  const { outputs, errors } = await run(checkout, examples);
  for (const [n, { commands, output }] of examples.entries()) {
    if (output === undefined) continue;
    expect({ commands, errors, output: outputs[n] }).toEqual({ commands, errors, output });
  }
}

/** A folder with the keys of an org of its own, where `npm start` puts them. */
async function makeCheckout(withHelpCenter: boolean): Promise<string> {
  const checkout = mkdtempSync(join(folder, 'checkout-'));
  const org = await stack.createOrg();
  const keys: Partial<DevJson> = {
    api: stack.url,
    mail: mail.url,
    org_id: org.id,
    org_api_key: org.key,
    partner_api_key: org.partner.key,
    widget_token: org.widgetToken,
  };
  if (withHelpCenter) await loadDemoHelpCenter(stack.url, keys.org_api_key ?? '');
  mkdirSync(join(checkout, '.data'));
  writeFileSync(join(checkout, '.data/dev.json'), JSON.stringify(keys));
  return checkout;
}

/** Runs examples one after the other in one shell, as somebody would who copies them. Gives what each printed. */
async function run(checkout: string, examples: Example[]): Promise<{ outputs: string[]; errors: string }> {
  const files = examples.map((_, n) => join(checkout, `.data/output-${n}`));
  const errorFile = join(checkout, '.data/errors');
  for (const file of files) writeFileSync(file, '');
  const errorLog = openSync(errorFile, 'w');
  const script = examples.map(({ commands }, n) => `exec > '${files[n]}'\n${commands}`).join('\n');
  const shell = spawn('bash', ['-c', script], {
    cwd: checkout,
    env: { ...process.env, TMPDIR: checkout, no_proxy: '127.0.0.1' },
    stdio: ['ignore', 'ignore', errorLog],
    detached: true,
  });
  closeSync(errorLog);
  await Promise.race([once(shell, 'exit'), sleep(MAX_RUN_MS, undefined, { ref: false })]);
  endGroup(shell.pid as number);
  return { outputs: files.map((file) => readFileSync(file, 'utf8')), errors: readFileSync(errorFile, 'utf8') };
}

/** Ends what the shell has left running, where there is anything. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}
