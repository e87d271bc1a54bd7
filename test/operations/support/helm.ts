import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { built, part } from '../../support/built-tools.ts';

const HELM_VERSION = 'v3.22.0';
const VALIDATE_VERSION = '1.37.0';

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
  await part('helm', 'go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], { env });
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
