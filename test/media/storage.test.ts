import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { loadConfig } from '../../src/config.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import {
  discardMedia,
  purgeDeletedMedia,
  recordMedia,
  softDeleteMedia,
  storeContent,
  storeMedia,
} from '../../src/media/service.ts';
import { spool } from '../../src/media/spool.ts';
import type { Storage } from '../../src/providers/storage/port.ts';
import { createStorage } from '../../src/providers/storage/storage.ts';
import { compareFiles } from '../../src/repair/files.ts';
import { type FakeS3, S3_KEY, startFakeS3 } from '../support/fakes/s3.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { formWith, PNG, pngOf } from './samples.ts';

const LARGE = pngOf(5 * 1024 ** 2);

let s3: FakeS3;
let folder: string;
beforeAll(async () => {
  s3 = await startFakeS3();
  folder = await mkdtemp(join(tmpdir(), 'switchboard-storage-'));
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = (kind: string) => (kind === 's3' ? s3.storageUrl : pathToFileURL(join(folder, 'a/b c')).href);
const filesIn = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());

describe.each(['file', 's3'])('%s storage', (kind) => {
  let storage: Storage;
  beforeAll(() => {
    storage = createStorage({ STORAGE_URL: urlOf(kind), ...S3_KEY });
  });
  afterAll(() => storage.close());

  const put = async (key: string, content: Buffer) => {
    const bytes = await spool([content], LARGE.length);
    try {
      await storage.put(key, bytes);
    } finally {
      await bytes.remove();
    }
  };
  const get = async (key: string, range?: { start: number; end: number }) => {
    const stream = await storage.get(key, range);
    return stream === undefined ? undefined : buffer(stream);
  };

  it('returns stored bytes, completely or in part, until they are deleted', async () => {
    await put('org/one', LARGE);
    await put('org/two', PNG);
    expect((await get('org/one'))?.equals(LARGE)).toBe(true);
    expect(await get('org/two')).toEqual(PNG);
    expect(await get('org/two', { start: 0, end: 0 })).toEqual(PNG.subarray(0, 1));
    expect(await get('org/two', { start: 10, end: 19 })).toEqual(PNG.subarray(10, 20));
    await storage.delete('org/one');
    expect(await get('org/one')).toBeUndefined();
    expect(await get('org/two')).toEqual(PNG);
  });

  it('returns nothing for an unknown key, and deletes it without an error', async () => {
    expect(await get('org/none')).toBeUndefined();
    await storage.delete('org/none');
  });

  it('stores nothing of an object whose bytes end with an error', async () => {
    const { size, sha256, remove } = await spool([LARGE], LARGE.length);
    await remove();
    const broken = async function* () {
      yield LARGE.subarray(0, 100_000);
      throw new Error('broken off');
    };
    await expect(storage.put('org/broken', { size, sha256, open: () => Readable.from(broken()) })).rejects.toThrow();
    expect(await get('org/broken')).toBeUndefined();
  });
});

it('file storage leaves no partial files behind, and only its owner can read its files', async () => {
  const files = await filesIn();
  expect(files.map(({ name }) => name)).toEqual(['two']);
  for (const { parentPath, name } of files) {
    expect((await stat(join(parentPath, name))).mode & 0o777).toBe(0o600);
    expect((await stat(parentPath)).mode & 0o777).toBe(0o700);
  }
});

describe('S3 storage', () => {
  let storage: Storage;
  beforeAll(() => {
    storage = createStorage({ STORAGE_URL: s3.storageUrl, ...S3_KEY });
  });
  afterAll(() => storage.close());

  const put = async (key: string) => {
    const bytes = await spool([PNG], PNG.length);
    try {
      await storage.put(key, bytes);
    } finally {
      await bytes.remove();
    }
  };

  it('S3 storage puts objects under its prefix, in the path of the endpoint', async () => {
    await put('org/prefixed');
    expect(s3.calls.at(-1)).toBe('PUT /files/some/prefix/org/prefixed');
    expect(s3.objects.get('some/prefix/org/prefixed')).toEqual(PNG);
  });

  it('S3 storage signs the session token of a temporary key too', async () => {
    const temporary = createStorage({ STORAGE_URL: s3.storageUrl, ...S3_KEY, AWS_SESSION_TOKEN: 'a+b/c==' });
    expect(await buffer((await temporary.get('org/prefixed')) as NodeJS.ReadableStream)).toEqual(PNG);
    expect(s3.sessions.at(-1)).toBe('a+b/c==');
    await temporary.close();
  });

  it.each(['slow-down', 'internal-error', 'reset', 'lost'] as const)('S3 storage retries after %s', async (fault) => {
    s3.next(fault, fault);
    await put(`org/${fault}`);
    s3.next(fault);
    expect(await buffer((await storage.get(`org/${fault}`)) as NodeJS.ReadableStream)).toEqual(PNG);
    s3.next(fault);
    await storage.delete(`org/${fault}`);
    expect(s3.objects.has(`some/prefix/org/${fault}`)).toBe(false);
  });

  it('S3 storage fails after three tries with a transient error', async () => {
    const before = s3.calls.length;
    s3.next('slow-down', 'slow-down', 'slow-down');
    await expect(put('org/never')).rejects.toMatchObject({
      transient: true,
      message: 'The storage answered 503 SlowDown',
    });
    expect(s3.calls.length - before).toBe(3);
    s3.next('reset', 'reset', 'reset');
    await expect(put('org/never')).rejects.toMatchObject({ transient: true });
  });

  it('S3 storage reports a refusal at once, with its reason', async () => {
    const before = s3.calls.length;
    s3.next('denied');
    await expect(put('org/denied')).rejects.toMatchObject({
      transient: false,
      message: 'The storage answered 403 AccessDenied',
    });
    expect(s3.calls.length - before).toBe(1);
    const other = createStorage({ STORAGE_URL: s3.storageUrl.replace('//files/', '//others/'), ...S3_KEY });
    await expect(other.get('org/any')).rejects.toMatchObject({ message: 'The storage answered 404 NoSuchBucket' });
    await other.close();
    const stranger = createStorage({ STORAGE_URL: s3.storageUrl, ...S3_KEY, AWS_SECRET_ACCESS_KEY: 'another' });
    await expect(stranger.get('org/any')).rejects.toThrow('403 SignatureDoesNotMatch');
    await stranger.close();
  });

  it('S3 storage answers 503 while it is unavailable, stores nothing, and works again afterwards', async () => {
    const api = await startApi({ env: { STORAGE_URL: s3.storageUrl, ...S3_KEY } });
    s3.next('slow-down', 'slow-down', 'slow-down');
    const away = await api.org.post('/media', formWith(PNG, 'a.png'), { headers: { 'idempotency-key': 'again' } });
    expect(away).toMatchObject({ status: 503, body: { message: expect.stringMatching(/try again/) } });
    // What may have arrived at the storage is deleted within an hour.
    const kept = api.db.selectFrom('media').select('id').where('deleted_at', 'is', null);
    expect(await kept.execute()).toEqual([]);

    const back = await api.org.post('/media', formWith(PNG, 'a.png'), { headers: { 'idempotency-key': 'again' } });
    expect(back.status).toBe(201);
    expect(Buffer.from(await (await fetch(back.body.fileUrl)).arrayBuffer())).toEqual(PNG);
    const part = await fetch(back.body.fileUrl, { headers: { range: 'bytes=5-9' } });
    expect(Buffer.from(await part.arrayBuffer())).toEqual(PNG.subarray(5, 10));

    s3.next('cut');
    const cut = await fetch(back.body.fileUrl);
    await expect(cut.arrayBuffer()).rejects.toThrow();
    expect((await fetch(back.body.fileUrl)).status).toBe(200);
    await api.close();
  });
});

describe('a stored file', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterEach(async () => void (await api.db.deleteFrom('media').execute()));
  afterAll(() => api.close());

  const store = (storage = api.deps.storage) =>
    storeMedia(api.db, storage, api.org.id, { content: [PNG], fileName: 'a.png' });
  const storeContentOf = (text: string) =>
    storeContent(api.deps.storage, api.org.id, { content: [Buffer.from(text)], fileName: 'a.txt' });
  const rows = () => api.db.selectFrom('media').selectAll().execute();
  const statusOf = async (media: { org_id: string; id: string }) =>
    (await fetch(api.deps.mediaLinks.linkOf(media))).status;

  it('a stored file without a row is found, and deleted once it is old; whatever else is in the folder stays', async () => {
    const own = await mkdtemp(join(tmpdir(), 'switchboard-orphans-'));
    const storage = createStorage({ STORAGE_URL: pathToFileURL(join(own, 'later')).href });
    expect(await compareFiles(api.db, storage, { deletes: true })).toEqual([]);
    const kept = await store(storage);
    const orphan = `${api.org.id}/${newId()}`;
    const old = new Date(Date.now() - 2 * 86_400_000);
    const others = ['notes.txt', `${api.org.id}/notes.txt`, `deep/${orphan}/${newId()}`, `backup/${orphan}`];
    for (const key of [orphan, `imports/${orphan}`, `${orphan}.${randomUUID()}.part`, ...others]) {
      const path = join(own, 'later', key);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, 'x');
      await utimes(path, old, old);
    }
    await utimes(join(own, 'later', kept.key), old, old);
    const found = await compareFiles(api.db, storage, { deletes: true });
    expect(found.map(({ key, mended }) => [key.replace(/[^/]*\.part$/, '….part'), mended]).toSorted()).toEqual(
      [orphan, `${api.org.id}/….part`, `imports/${orphan}`].map((key) => [key, 'deleted']).toSorted(),
    );
    const left = (await readdir(own, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(left).toHaveLength(1 + others.length);
    await rm(own, { recursive: true });
  });

  it('a stored file has no row before its bytes are stored, so a crash leaves at most bytes without a row', async () => {
    const seen: number[] = [];
    const watched: Storage = {
      ...api.deps.storage,
      put: async (...args) => {
        seen.push((await rows()).length);
        await api.deps.storage.put(...args);
        seen.push((await rows()).length);
        throw new Error('crash');
      },
    };
    await expect(store(watched)).rejects.toThrow('crash');
    expect(seen).toEqual([0, 0]);
    expect(await rows()).toEqual([]);
  });

  it('a stored file is deleted with its bytes, by its own org only', async () => {
    const media = await store();
    await inTransaction(api.db, (trx) => softDeleteMedia(trx, api.other.id, [media.id]));
    await purgeDeletedMedia(api.db, api.deps.storage);
    expect(await statusOf(media)).toBe(200);
    await inTransaction(api.db, (trx) => softDeleteMedia(trx, api.org.id, [media.id]));
    await purgeDeletedMedia(api.db, api.deps.storage);
    expect(await statusOf(media)).toBe(404);
    expect(await api.deps.storage.get(media.key)).toBeUndefined();
    expect(await rows()).toEqual([]);
  });

  it('a stored file is inaccessible once marked as deleted, and a second purge completes a failed one', async () => {
    const media = await store();
    const failing: Storage = { ...api.deps.storage, delete: () => Promise.reject(new Error('away')) };
    await inTransaction(api.db, (trx) => softDeleteMedia(trx, api.org.id, [media.id]));
    await expect(purgeDeletedMedia(api.db, failing)).rejects.toThrow('away');
    expect(await statusOf(media)).toBe(404);
    await purgeDeletedMedia(api.db, api.deps.storage);
    expect(await api.deps.storage.get(media.key)).toBeUndefined();
  });

  it('a stored file is discarded without its row, but not while its row is being committed', async () => {
    const [committed, refused] = [await storeContentOf('kept'), await storeContentOf('refused')];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const inserted = Promise.withResolvers<void>();
    const committing = inTransaction(api.db, async (trx) => {
      await recordMedia(trx, committed);
      inserted.resolve();
      await released;
    });
    await inserted.promise;
    const discarding = discardMedia(api.db, api.deps.storage, [committed, refused]);
    await sleep(200);
    release();
    await Promise.all([committing, discarding]);
    expect(await statusOf(committed)).toBe(200);
    expect(await api.deps.storage.get(refused.key)).toBeUndefined();
    expect((await rows()).map(({ id }) => id)).toEqual([committed.id]);
  });

  it('a stored file is discarded by a later purge if the storage is away', async () => {
    const media = await storeContentOf('refused');
    const failing: Storage = { ...api.deps.storage, delete: () => Promise.reject(new Error('away')) };
    await expect(discardMedia(api.db, failing, [media])).rejects.toThrow('away');
    expect(await statusOf(media)).toBe(404);
    await purgeDeletedMedia(api.db, api.deps.storage);
    expect(await api.deps.storage.get(media.key)).toBeUndefined();
    expect(await rows()).toEqual([]);
  });

  it('a stored file is purged although another file cannot be', async () => {
    const [stuck, other] = [await store(), await store()];
    const storage: Storage = {
      ...api.deps.storage,
      delete: (key) => (key === stuck.key ? Promise.reject(new Error('away')) : api.deps.storage.delete(key)),
    };
    await inTransaction(api.db, (trx) => softDeleteMedia(trx, api.org.id, [stuck.id, other.id]));
    await expect(purgeDeletedMedia(api.db, storage)).rejects.toThrow('away');
    expect(await api.deps.storage.get(other.key)).toBeUndefined();
    expect(await rows()).toHaveLength(1);
    await purgeDeletedMedia(api.db, api.deps.storage);
    expect(await rows()).toEqual([]);
  });

  it('a stored file is a 404 if its bytes are lost', async () => {
    const media = await store();
    await api.deps.storage.delete(media.key);
    expect(await statusOf(media)).toBe(404);
  });
});

describe('STORAGE_URL', () => {
  const valid = {
    DATABASE_URL: 'postgres://localhost/x',
    JWT_SECRET: 'x'.repeat(32),
    SECRET_KEYS: `k:${'A'.repeat(43)}=`,
  };

  it.each([
    ['file:///var/lib/files', true],
    ['s3://bucket', true],
    ['s3://bucket/some/prefix?region=eu-central-1', true],
    ['s3://bucket?region=auto&endpoint=https://s3.example.com', true],
    ['file://host/folder', false],
    ['file:///', false],
    ['/var/lib/files', false],
    ['https://bucket.s3.amazonaws.com', false],
    ['s3://', false],
    ['s3://key:secret@bucket', false],
    ['s3://bucket/a b', false],
    ['s3://bucket?endpoint=nowhere', false],
    ['s3://bucket?regoin=eu-central-1', false],
  ])('%s is accepted: %s', (STORAGE_URL, isTaken) => {
    const load = () => loadConfig({ ...valid, ...S3_KEY, STORAGE_URL });
    if (isTaken) expect(load().STORAGE_URL).toBe(STORAGE_URL);
    else expect(load).toThrow('STORAGE_URL');
  });

  it('requires a key for S3', () => {
    expect(() => loadConfig({ ...valid, STORAGE_URL: 's3://bucket' })).toThrow('AWS_ACCESS_KEY_ID');
  });
});
