import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Outside of the checkout, as each is built once on a machine. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'switchboard-tools');
const HELM_VERSION = 'v3.22.0';
const VALIDATE_VERSION = '1.37.0';
const BUILD_LIMIT_MS = 900_000;
const run = promisify(execFile);

export interface HelmTools {
  helm: string;
  /** A Python that has PyPI's kubernetes-validate. */
  python: string;
}

/** Returns helm, built from its Go module, and the checker of manifests. Returns what is missing instead if one is. */
export async function findHelmTools(): Promise<HelmTools | string> {
  try {
    return { helm: await findHelm(), python: await findPython() };
  } catch (error) {
    return (error as Error).message;
  }
}

async function findHelm(): Promise<string> {
  return join(await built(`helm-${HELM_VERSION}`, 'helm', buildHelm), 'helm');
}

async function buildHelm(folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  await part('helm', 'go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], env);
}

const PYTHON = 'bin/python3';

async function findPython(): Promise<string> {
  return join(await built(`kubernetes-validate-${VALIDATE_VERSION}-python`, PYTHON, buildPython), PYTHON);
}

async function buildPython(folder: string): Promise<void> {
  await part('kubernetes-validate', 'python3', ['-m', 'venv', folder]);
  const wheel = `kubernetes-validate==${VALIDATE_VERSION}`;
  await part('kubernetes-validate', join(folder, PYTHON), ['-m', 'pip', 'install', '--quiet', wheel]);
}

/**
 * Returns the folder of a tool. It is built elsewhere and gets its name at the end, so a build that failed or was killed
 * leaves none, and two at once do not disturb each other.
 */
async function built(name: string, file: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(join(folder, file))) return folder;
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await build(unfinished);
    if (!existsSync(join(folder, file))) {
      await rm(folder, { recursive: true, force: true });
      await rename(unfinished, folder);
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Runs a part of a build. Throws an error that names the tool and what is missing. */
async function part(tool: string, program: string, flags: string[], env = process.env): Promise<void> {
  try {
    await run(program, flags, { env, timeout: BUILD_LIMIT_MS, maxBuffer: 1e8 });
  } catch (error) {
    throw new Error(`${tool} cannot be built by ${program} ${flags.join(' ')}: ${whyOf(error as Failed)}`, {
      cause: error,
    });
  }
}

interface Failed extends Error {
  code?: unknown;
  killed?: boolean;
  stdout?: string;
  stderr?: string;
}

function whyOf({ code, killed, stdout, stderr, message }: Failed): string {
  if (code === 'ENOENT') return 'it is not installed';
  if (killed === true) return 'it took too long';
  return (stderr || stdout || message).trim().split('\n').slice(-3).join(' ');
}

/** Renders the chart with the settings of a file. Throws with helm's words if it refuses. */
export const render = (helm: string, chart: string, ...flags: string[]): string =>
  execFileSync(helm, ['template', 'desk', chart, '--namespace', 'support', '--kube-version', '1.33.0', ...flags], {
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 1e8,
  });

/** Checks manifests by Kubernetes' own schemas. Throws with what it finds. */
export const validate = (python: string, ...flags: string[]): string =>
  execFileSync(python, ['-m', 'kubernetes_validate', ...flags], { encoding: 'utf8', stdio: 'pipe' });
