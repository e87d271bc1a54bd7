import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(import.meta.resolve('./support/freed-requests.fixture.ts'));
const FLAGS = ['--expose-gc', '--initial-heap-size=500', '--initial-old-space-size=500'];
const MAX_MB = 4;

it('what a request has read is freed without a full collection', async () => {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, PROGRAM], { env });
  expect(Number(stdout)).toBeLessThan(MAX_MB);
});
