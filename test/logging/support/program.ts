import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { programOf } from '../../../src/dev/scripts.ts';
import { temporalAddress, testNamespace } from '../../support/stack/servers.ts';
import { eventually } from '../../support/stack/stack.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SECRETS = {
  JWT_SECRET: 'x'.repeat(32),
  SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
};

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every shape
export type Line = any;

/** Starts the real api or worker. `env`: environment variables over those of tests. */
export async function startProgram(script: 'api' | 'worker', env: Record<string, string>) {
  const { env: own, flags, file } = programOf(script);
  const child = spawn(process.execPath, [...flags, file], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...own,
      ...SECRETS,
      HOST: '127.0.0.1',
      PORT: String(await anyFreePort()),
      TEMPORAL_ADDRESS: temporalAddress(),
      TEMPORAL_NAMESPACE: testNamespace(),
      WORKFLOW_BUNDLE: process.env.TEST_WORKFLOW_BUNDLE,
      EMBEDDING_MODEL: 'none',
      LOG_LEVEL: 'info',
      DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const lines = () => linesOf(text);
  return {
    /** All that it has written. */
    text: () => text,
    /** Its lines, each of which has to be one JSON object without a repeated key. */
    lines,
    find: (what: string, isWanted: (line: Line) => boolean): Promise<Line> =>
      eventually(`${what}\n${text}`, () => lines().find(isWanted)),
    /** Waits for its own end. Resolves to its exit code. */
    ended: async (): Promise<number> => (await ended)[0],
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function linesOf(text: string): Line[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return whole.filter((line) => line !== '').map(parseLine);
}

function parseLine(line: string): Line {
  expect(line).toMatch(/^\{.*\}$/);
  const parsed = JSON.parse(line);
  expect({ line, levels: line.match(/"level":/g)?.length }).toEqual({ line, levels: 1 });
  expect(parsed).toMatchObject({ level: expect.any(Number) });
  return parsed;
}

/** Passes connections on to a server, while it is open. */
export async function startDoor(target: URL) {
  const port = await anyFreePort();
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((client) => {
    const onward = connect(Number(target.port), target.hostname);
    sockets.add(client).add(onward);
    pipeline(client, onward, client, () => undefined);
  });
  const through = new URL(target);
  through.port = String(port);
  return {
    url: through.href,
    address: `127.0.0.1:${port}`,
    open: () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
  };
}
