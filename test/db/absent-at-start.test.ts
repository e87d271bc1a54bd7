import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { anyFreePort } from '../../src/dev/ports.ts';
import { programOf } from '../../src/dev/scripts.ts';
import { createTestDatabase, overTcp, temporalAddress, testNamespace } from '../support/stack/servers.ts';
import { eventually } from '../support/stack/stack.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it.each([
  ['api', 'Server listening'],
  ['worker', '"msg":"working"'],
] as const)('the %s that starts before the database waits for it, and works then', async (script, ready) => {
  const database = await createTestDatabase();
  const way = overTcp(database.url);
  const { hostname, port } = way;
  way.port = String(await anyFreePort());
  const { env, flags, file } = programOf(script);
  const program = spawn(process.execPath, [...flags, file], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...env,
      DATABASE_URL: way.href,
      HOST: '127.0.0.1',
      PORT: String(await anyFreePort()),
      JWT_SECRET: 'x'.repeat(32),
      SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      TEMPORAL_ADDRESS: temporalAddress(),
      TEMPORAL_NAMESPACE: testNamespace(),
      WORKFLOW_BUNDLE: process.env.TEST_WORKFLOW_BUNDLE,
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(program, 'exit');
  let said = '';
  program.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const hasSaid = (text: string) =>
    eventually(text, () => {
      expect({ exitCode: program.exitCode, said }).toEqual({ exitCode: null, said });
      return said.includes(text);
    });
  const entrance = createServer((client) => {
    const server = connect(Number(port), hostname);
    pipeline(client, server, client, () => undefined);
  });
  try {
    await hasSaid('The database is away');
    entrance.listen(Number(way.port), '127.0.0.1');
    await hasSaid(ready);
  } finally {
    program.kill('SIGKILL');
    await ended;
    entrance.close();
    await database.drop();
  }
});
