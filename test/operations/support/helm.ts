import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
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
  /** The program of PyPI's kubernetes-validate. */
  validate: string;
}

/** Returns helm, built from its Go module, and the checker of manifests. Returns what is missing instead if one is. */
export async function findHelmTools(): Promise<HelmTools | string> {
  const helm = await findHelm();
  if (helm === undefined) return 'helm cannot be built: it needs Go and the module helm.sh/helm/v3';
  const validate = await findValidate();
  if (validate === undefined) return 'kubernetes-validate cannot be installed: it needs Python 3 and PyPI';
  return { helm, validate };
}

async function findHelm(): Promise<string | undefined> {
  const folder = join(CACHE, `helm-${HELM_VERSION}`);
  const file = join(folder, 'helm');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  const options = { env, timeout: BUILD_LIMIT_MS, maxBuffer: 1e8 };
  return run('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], options).then(
    () => file,
    () => undefined,
  );
}

async function findValidate(): Promise<string | undefined> {
  const folder = join(CACHE, `kubernetes-validate-${VALIDATE_VERSION}`);
  const file = join(folder, 'bin', 'kubernetes-validate');
  if (existsSync(file)) return file;
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: BUILD_LIMIT_MS });
    const wheel = `kubernetes-validate==${VALIDATE_VERSION}`;
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', wheel], { timeout: BUILD_LIMIT_MS });
    return file;
  } catch {
    return undefined;
  }
}

/** Renders the chart with the settings of a file. Throws with helm's words if it refuses. */
export const render = (helm: string, chart: string, ...flags: string[]): string =>
  execFileSync(helm, ['template', 'desk', chart, '--namespace', 'support', '--kube-version', '1.33.0', ...flags], {
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 1e8,
  });
