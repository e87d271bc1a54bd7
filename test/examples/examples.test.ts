import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Stack, startStack } from '../support/stack/stack.ts';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url);
const EXAMPLES = [
  ...readdirSync(new URL('examples/', ROOT)).filter((name) => name.endsWith('.ts')),
  'moving-in/import.ts',
];
const BUILD_TIMEOUT_MS = 180_000;

let stack: Stack;
beforeAll(async () => {
  await run(process.execPath, [fileURLToPath(new URL('sdk/scripts/build.ts', ROOT))]);
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
}, BUILD_TIMEOUT_MS);
afterAll(() => stack.close());

const runExample = async (name: string) => {
  const env = { ...process.env, NODE_OPTIONS: '', SWITCHBOARD_URL: stack.url, SWITCHBOARD_KEY: stack.org.key };
  const { stdout } = await run(process.execPath, [fileURLToPath(new URL(`examples/${name}`, ROOT))], { env });
  return stdout;
};
/** Returns how much of what examples make the org has. */
async function countOwned(): Promise<number[]> {
  const lists = [
    ...['/contacts', '/webhooks', '/org/api-keys', '/chat/sessions?status=open', '/sequences', '/suppressions'],
    ...['/sla/policies', '/help-center/articles'],
  ];
  return Promise.all(lists.map(async (path) => (await stack.org.get(path)).body.items.length));
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
  'rotate-key.ts': /^The former key is refused, and the new one works\n$/,
};

it.each(EXAMPLES)('%s runs twice, and leaves nothing behind', async (name) => {
  const before = await countOwned();
  await runExample(name);
  expect(await runExample(name)).toMatch(PRINTED[name] as RegExp);
  expect(await countOwned()).toEqual(before);
});
