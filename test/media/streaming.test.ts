import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, stat, utimes } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { removeAbandonedSpools } from '../../src/media/spool.ts';
import { type FakeS3, S3_KEY, startFakeS3 } from '../support/fakes/s3.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';
import { pngOf } from './samples.ts';

const UPLOADS = 8;
const FILE = pngOf(5 * 1024 ** 2);
/** A quarter of the total size of the files. */
const MOST_BYTES = (UPLOADS * FILE.length) / 4;
const ALL_BUT = 100_000;

let s3: FakeS3;
let api: TestApi;
beforeAll(async () => {
  s3 = await startFakeS3();
  api = await startApi({ env: { STORAGE_URL: s3.storageUrl, ...S3_KEY } });
});
afterAll(async () => {
  await api.close();
  await s3.close();
});

it('a process that starts deletes what killed ones have spooled over an hour ago, and nothing of those at work', async () => {
  const program = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { spool } from '${new URL('../../src/media/spool.ts', import.meta.url).href}';
    console.log((await spool([Buffer.from('lost')], 100)).path);
    setInterval(() => {}, 1_000);`,
  ]);
  const [line] = await once(program.stdout, 'data');
  const lost = String(line).trim();
  const setAge = (minutes: number) => utimes(lost, new Date(), new Date(Date.now() - minutes * 60_000));
  const isKept = async () => {
    await removeAbandonedSpools();
    return existsSync(lost);
  };
  await setAge(61);
  expect(await isKept()).toBe(true);
  program.kill('SIGKILL');
  await once(program, 'exit');
  await setAge(59);
  expect(await isKept()).toBe(true);
  await setAge(61);
  expect(await isKept()).toBe(false);
});

it('a process starts also where the folder of temporary files cannot be listed', async () => {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = join(tmpdir(), `missing-${process.pid}`);
  try {
    await removeAbandonedSpools();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});

it('keeps only a part of several uploads in memory, while they are received and while they are stored', async () => {
  const others = await spoolFiles();
  const held = { before: bytesInBuffers(), received: 0, stored: 0 };
  await api.org.get('/org/settings'); // until garbage collection no longer delays it
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  s3.next(...Array.from({ length: UPLOADS }, () => ({ released })));

  const senders = await Promise.all(Array.from({ length: UPLOADS }, startUpload));
  const most = UPLOADS * (FILE.length - 2 * ALL_BUT);
  await eventually('nearly all bytes', async () => (await spooledBytes(others)) > most);
  held.received = bytesInBuffers();

  const answered: string[] = [];
  for (const { finish, status } of senders) {
    finish();
    void status.then((code) => answered.push(code));
  }
  await eventually('all calls to storage', () => {
    expect(answered).toEqual([]);
    return s3.calls.length === UPLOADS;
  });
  held.stored = bytesInBuffers();

  release();
  expect(await Promise.all(senders.map(({ status }) => status))).toEqual(Array(UPLOADS).fill('201'));
  expect(held.received - held.before).toBeLessThan(MOST_BYTES);
  expect(held.stored - held.before).toBeLessThan(MOST_BYTES);
}, 300_000);

/** Sends a file except for its end. */
async function startUpload() {
  const { hostname, port } = new URL(api.url);
  const head = Buffer.from('--xx\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
  const tail = Buffer.from('\r\n--xx--\r\n');
  const socket: Socket = connect(Number(port), hostname);
  const status = new Promise<string>((resolve, reject) => {
    socket.once('data', (answer) => resolve(answer.toString().slice(9, 12)));
    socket.once('error', reject);
  });
  socket.write(
    [
      'POST /media HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${api.org.key}`,
      'Content-Type: multipart/form-data; boundary=xx',
      `Content-Length: ${head.length + FILE.length + tail.length}`,
      'Connection: close\r\n\r\n',
    ].join('\r\n'),
  );
  socket.write(head);
  socket.write(FILE.subarray(0, -ALL_BUT)); // one buffer, shared by all
  return {
    status,
    finish() {
      socket.write(FILE.subarray(-ALL_BUT));
      socket.write(tail);
    },
  };
}

/** Includes those of other tests, as they share the folder. */
const spoolFiles = async () =>
  (await readdir(tmpdir())).filter((name) => /^switchboard-.+-\d+-[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name));

async function spooledBytes(others: string[]): Promise<number> {
  const sizes = (await spoolFiles())
    .filter((name) => !others.includes(name))
    .map((name) =>
      stat(join(tmpdir(), name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Returns the memory outside of the heap after a garbage collection. */
function bytesInBuffers(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().external;
}
