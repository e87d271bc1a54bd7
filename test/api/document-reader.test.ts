import { InvalidDocument } from '../../src/documents/openapi.ts';
import { createDocumentReader, type DocumentReader } from '../../src/documents/reader.ts';
import { readEverything, readForLong, readNothing } from './costly-documents.ts';

const MODULE = new URL('./costly-documents.ts', import.meta.url);
const formatOf = (read: typeof readForLong) => ({ module: MODULE, name: read.name, read });
const LONG = formatOf(readForLong);

let reader: DocumentReader;
afterEach(() => reader.close());
const start = (limits: object = {}) => {
  reader = createDocumentReader({ maxReadMs: 30_000, maxMemoryMb: 32, maxWaitMs: 30_000, ...limits });
};
const outcomeOf = (reading: Promise<string>) => reading.catch((error: Error) => error.message);

it('a document is read without blocking the event loop', async () => {
  start();
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  expect(await reader.read('org', LONG, '1000')).toBe('1000');
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(20);
});

it('a document is read by the export with the name of its format, whatever a bundle calls the function', async () => {
  start();
  const renamed: typeof readForLong = (text) => readForLong(text);
  expect(await reader.read('org', { module: MODULE, name: 'readForLong', read: renamed }, '1')).toBe('1');
});

it('a document that takes too long is refused with the bound, and the next one is read', async () => {
  start({ maxReadMs: 2_000 });
  await expect(reader.read('org', LONG, '60000')).rejects.toThrow(InvalidDocument);
  const refused = outcomeOf(reader.read('org', LONG, '60000'));
  const next = reader.read('org', LONG, '1');
  expect(await refused).toBe('takes more than 2 s to be read: send less');
  expect(await next).toBe('1');
});

it('a document that takes too much memory is refused with the bound, and the next one is read', async () => {
  start();
  const refused = outcomeOf(reader.read('org', formatOf(readEverything), ''));
  const next = reader.read('org', LONG, '1');
  expect(await refused).toBe('takes more than 32 MB of memory to be read: send less');
  expect(await next).toBe('1');
});

it('a text that is no document is refused with its problem', async () => {
  start();
  const refused = reader.read('org', formatOf(readNothing), 'hello');
  await expect(refused).rejects.toEqual(new InvalidDocument('is no document: hello'));
});

it('an org has at most two documents here at once, and the places of those that were read are free again', async () => {
  start();
  const two = [reader.read('org', LONG, '1'), reader.read('org', LONG, '2')];
  await expect(reader.read('org', LONG, '3')).rejects.toMatchObject({ name: 'TooManyRequests', retryAfterSeconds: 5 });
  expect(await reader.read('other', LONG, '4')).toBe('4');
  expect(await Promise.all(two)).toEqual(['1', '2']);
  expect(await reader.read('org', LONG, '5')).toBe('5');
});

it('orgs take turns', async () => {
  start();
  const ended: string[] = [];
  const read = async (org: string, text: string) => void ended.push(await reader.read(org, LONG, text));
  await Promise.all([read('one', '1'), read('two', '2'), read('two', '3'), read('one', '4')]);
  expect(ended).toEqual(['1', '2', '4', '3']);
});

it('no more than 16 documents are here at once', async () => {
  start();
  const sixteen = Array.from({ length: 16 }, (_, n) => reader.read(`org ${n}`, LONG, `${n}`));
  await expect(reader.read('one more', LONG, '1')).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await Promise.all(sixteen)).toHaveLength(16);
});

it('a document whose turn does not come in time is not read, and its place is free again', async () => {
  start({ maxWaitMs: 300 });
  const first = reader.read('one', LONG, '1500');
  await expect(reader.read('two', LONG, '1')).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await first).toBe('1500');
  expect(await reader.read('two', LONG, '2')).toBe('2');
});
