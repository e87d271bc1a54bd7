import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { anyFreePort, canConnect } from '../../src/dev/ports.ts';
import { findTemporalCli, findTestServer } from '../../src/dev/temporal-programs.ts';

it('finds a working Temporal CLI', async () => {
  const { stdout } = await promisify(execFile)(await findTemporalCli(), ['--version']);
  expect(stdout).toMatch(/^temporal version \d/);
});

it('finds a working time-skipping test server', async () => {
  const port = await anyFreePort();
  const server = spawn(await findTestServer(), [String(port)], { stdio: 'ignore' });
  try {
    while (!(await canConnect('127.0.0.1', port, 1_000))) await sleep(50);
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}, 120_000);
