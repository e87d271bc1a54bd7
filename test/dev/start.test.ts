import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort } from '../../src/dev/ports.ts';
import { commandOf, endProcess, identityOf, parentOf } from '../../src/dev/processes.ts';
import type { DevJson } from '../../src/dev/stack.ts';

const START_LIMIT_MS = 150_000;
const STOP_LIMIT_MS = 20_000;
const QUESTION = 'How do I change my password?';
const TEST_LIMIT_MS = 600_000; // starts the stack up to three times, beside other tests

let folder: string;
let ports: Record<string, string>;
let started: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dev-start-'));
  chmodSync(folder, 0o755);
  const names = ['PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'POSTGRES_PORT', 'SMTP_PORT', 'MAIL_PORT', 'SHOP_PORT'];
  ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await anyFreePort())])));
});
afterEach(async () => {
  const left = started.flatMap(({ pid }) => (pid ? [pid, ...descendantsOf(pid)] : []));
  await Promise.all(left.map((pid) => endProcess(pid, 'SIGTERM', 10_000)));
  started = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let first: DevJson;

it(
  'npm start starts all services, answers a question of the demo org, and stops all of them when npm gets a SIGTERM',
  async () => {
    const running = await npmStart();
    const { dev } = running;
    first = dev;
    expect(dev).toEqual({
      api: `http://127.0.0.1:${ports.PORT}`,
      temporal_address: `127.0.0.1:${ports.TEMPORAL_PORT}`,
      temporal_ui: `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`,
      mail: `http://127.0.0.1:${ports.MAIL_PORT}`,
      shop: `http://127.0.0.1:${ports.SHOP_PORT}`,
      database_url: expect.stringMatching(/^postgres:.*\/switchboard$/),
      smtp_port: Number(ports.SMTP_PORT),
      org_id: expect.any(String),
      org_api_key: expect.any(String),
      partner_api_key: expect.any(String),
      widget_token: expect.any(String),
    });
    expect(statSync(join(folder, 'dev.json')).mode & 0o777).toBe(0o600);
    expect((await fetch(dev.temporal_ui)).status).toBe(200);
    const made = await call(dev, 'POST', '/contacts', { contact: { email: 'kept@x.test' } });
    expect(made.status).toBe(201);
    expect(await (await call(dev, 'GET', '/help-center/content')).text()).toContain('Gift cards');
    expect(running.processes.length).toBeGreaterThanOrEqual(6);
    await until(() => running.output().includes(`answers on ${dev.shop}: ask “${QUESTION}”`));
    expect(await answerTo(dev, QUESTION)).toContain('> To change your password, open **Account**');

    const other = run();
    await until(() => other.child.exitCode !== null);
    expect(other.child.exitCode).not.toBe(0);
    expect(other.output()).toContain(`Already running on ${folder}: ${dev.api}`);

    const processes = [...new Set([...running.processes, ...descendantsOf(running.npm)])];
    process.kill(running.npm, 'SIGTERM');
    await untilGone(processes);
  },
  TEST_LIMIT_MS,
);

it(
  'npm start finds its ports and data again, restarts a killed api, and leaves no process when it is killed itself',
  async () => {
    const running = await npmStart({
      PORT: '',
      TEMPORAL_PORT: '',
      POSTGRES_PORT: '',
      SMTP_PORT: '',
      MAIL_PORT: '',
      SHOP_PORT: '',
    });
    expect(running.dev).toEqual(first);
    expect(await (await call(running.dev, 'GET', '/contacts')).text()).toContain('kept@x.test');

    const api = running.processes.find((pid) => commandOf(pid)?.endsWith('dist/api.js')) ?? 0;
    process.kill(api, 'SIGKILL');
    await until(() => running.output().includes('Api ended (killed by SIGKILL), starting it again'));
    await until(async () => (await fetch(`${running.dev.api}/healthz`).catch(() => undefined))?.status === 200);

    const processes = [running.npm, ...descendantsOf(running.npm)];
    const start = processes.find((pid) => /^node .*dev\/start\.ts$/.test(commandOf(pid) ?? '')) ?? 0;
    process.kill(start, 'SIGKILL');
    await untilGone(processes);
  },
  TEST_LIMIT_MS,
);

it(
  'npm start chooses another port if one is taken',
  async () => {
    const { server: taken, port } = await occupy();
    const running = await npmStart({ PORT: String(port) });
    expect(running.dev.api).not.toContain(`:${port}`);
    expect(running.output()).toContain(`PORT=${port} is taken`);
    expect(running.dev.org_id).toBe(first.org_id);
    taken.close();
  },
  TEST_LIMIT_MS,
);

/** Asks in a new session. Returns the text of the answer. */
async function answerTo(dev: DevJson, text: string): Promise<string> {
  const { id } = JSON.parse(await (await call(dev, 'POST', '/chat/sessions', { channel: { type: 'api' } })).text());
  const message = { sender: 'contact', message: { type: 'text', text } };
  const { data } = JSON.parse(await (await call(dev, 'POST', `/chat/sessions/${id}/send`, message)).text());
  return data.autopilotResponse.value.content;
}

function run(env: Record<string, string> = {}) {
  const without = { DATABASE_URL: '', TEMPORAL_ADDRESS: '', EMBEDDING_MODEL: 'none' };
  const child = spawn('npm', ['start'], { env: { ...process.env, ...without, DATA_DIR: folder, ...ports, ...env } });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return { child, output: () => output };
}

async function npmStart(env: Record<string, string> = {}) {
  const file = join(folder, 'dev.json');
  rmSync(file, { force: true });
  const { child, output } = run(env);
  await until(() => {
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${output()}`);
    return existsSync(file) && output().includes(file);
  });
  const npm = child.pid as number;
  const dev: DevJson = JSON.parse(readFileSync(file, 'utf8'));
  return { npm, dev, output, processes: [npm, ...descendantsOf(npm)] };
}

async function until(holds: () => boolean | Promise<boolean>, limitMs = START_LIMIT_MS) {
  const deadline = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('It did not come about in time');
    await sleep(50);
  }
}

async function untilGone(pids: number[]) {
  const living = () => pids.filter((pid) => identityOf(pid) !== undefined);
  await until(() => living().length === 0, STOP_LIMIT_MS).catch(() => {});
  expect(living().map(commandOf)).toEqual([]);
}

function descendantsOf(pid: number): number[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const childrenOf = (parent: number): number[] =>
    all.filter((one) => parentOf(one) === parent).flatMap((child) => [child, ...childrenOf(child)]);
  return childrenOf(pid);
}

function call({ api, org_api_key }: DevJson, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${org_api_key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  return fetch(api + path, { method, headers, body: body ? JSON.stringify(body) : null });
}

async function occupy(): Promise<{ server: Server; port: number }> {
  const port = await anyFreePort();
  const server = createServer().listen(port, '127.0.0.1');
  await until(() => server.listening);
  return { server, port };
}
