import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { loadConfig, settings } from '../../src/config.ts';
import { SETTINGS_IN_FILES } from '../../src/setting-files.ts';
import { TASK_QUEUES } from '../../src/temporal/contract.ts';
import { findHelmTools, type HelmTools, render, validate } from './support/helm.ts';

const LIMIT_MS = 1_000_000;
const CHART = fileURLToPath(new URL('../../deploy/helm', import.meta.url));
const KUBERNETES = ['1.27', '1.33'];
const DIGEST = `sha256:${'ab'.repeat(32)}`;
const SETTINGS = { PUBLIC_URL: 'https://support.example.com', TEMPORAL_ADDRESS: 'temporal:7233' };
const NEEDED = {
  image: { repository: 'registry.example.com/switchboard', digest: DIGEST },
  settings: { ...SETTINGS, STORAGE_URL: 's3://files' },
  secrets: { existingSecret: 'switchboard', names: [...SETTINGS_IN_FILES] },
  migrations: { existingSecret: 'switchboard-owner' },
};
const ALL = {
  ...NEEDED,
  settings: { ...SETTINGS, INBOUND_DOMAIN: 'in.example.com', RATE_LIMIT_STANDARD: 200 },
  files: { existingClaim: 'files' },
  api: { autoscaling: { enabled: true } },
  ingress: { enabled: true, className: 'nginx', host: 'support.example.com', tlsSecret: 'tls' },
  mail: { enabled: true, tlsSecret: 'mail-tls' },
  workers: { crawler: { autoscaling: { enabled: true } } },
};

const tools = await findHelmTools();
if (typeof tools === 'string') console.log(`The Helm chart is not tried: ${tools}`);
const whenInstalled = typeof tools === 'string' ? describe.skip : describe;

function toolsFound(): HelmTools {
  if (typeof tools === 'string') throw new Error(tools);
  return tools;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helm-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function renderWith(values: object, ...flags: string[]): string {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return render(toolsFound().helm, CHART, '--values', file, ...flags);
}
// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
const manifestsOf = (text: string): any[] => loadAll(text);
// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
const podsOf = (manifests: any[]) =>
  manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => ({ name: metadata.name as string, pod: spec.template.spec }));

it('names the secrets that the programs read from files, in the schema of the values of the chart', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
  expect(schema.definitions.secret.enum).toEqual(SETTINGS_IN_FILES);
});

whenInstalled('the Helm chart', () => {
  it.each([
    ['the settings that are needed', NEEDED],
    ['all of its parts', ALL],
  ])(
    'makes manifests that Kubernetes accepts, with %s',
    (_, values) => {
      const file = join(folder, 'manifests.yaml');
      const text = renderWith(values);
      writeFileSync(file, text);
      for (const version of KUBERNETES)
        validate(toolsFound().python, '--strict', '--kubernetes-version', version, file);
      expect(manifestsOf(text).length).toBeGreaterThan(8);
    },
    LIMIT_MS,
  );

  it('runs every program without privileges, on a file system that it cannot write to, by the digest of the image', () => {
    const pods = podsOf(manifestsOf(renderWith(ALL)));
    expect(pods.map(({ name }) => name).toSorted()).toEqual([
      'desk-api',
      'desk-crawler',
      'desk-migrations',
      'desk-worker',
    ]);
    for (const { pod } of pods) {
      const [container] = pod.containers;
      expect(container.image).toBe(`registry.example.com/switchboard@${DIGEST}`);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(container.resources.limits.memory).toBeDefined();
    }
  });

  it('gives the programs settings that they accept, secrets by files alone, and each queue to one kind of worker', () => {
    const pods = podsOf(manifestsOf(renderWith(ALL))).filter(({ name }) => !name.endsWith('migrations'));
    const queues: string[] = [];
    for (const { name, pod } of pods) {
      const [container] = pod.containers;
      const names = container.env.map((one: { name: string }) => one.name);
      expect(names).toEqual([...new Set(names)]);
      const env: Record<string, string> = Object.fromEntries(
        container.env.map((one: { name: string; value: string }) => [one.name, one.value]),
      );
      for (const setting of SETTINGS_IN_FILES) {
        expect(env[setting]).toBeUndefined();
        expect(env[`${setting}_FILE`]).toBe(`/run/secrets/switchboard/${setting}`);
      }
      const plain = Object.fromEntries(Object.entries(env).filter(([key]) => Object.hasOwn(settings, key)));
      const own = { DATABASE_URL: 'x', JWT_SECRET: 'x'.repeat(32), SECRET_KEYS: `k:${'A'.repeat(43)}=` };
      const config = loadConfig({ ...plain, ...own });
      // 6 + 1 apis, 2 + 1 workers, 4 + 1 crawlers.
      expect(config).toMatchObject({ DATABASE_PROCESSES: 15, STOP_GRACE_SECONDS: 75, OPS_PORT: 9090 });
      expect(pod.terminationGracePeriodSeconds).toBe(75);
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ops' });
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'ops' });
      if (name !== 'desk-api') queues.push(...config.WORKER_QUEUES);
    }
    expect(queues.toSorted()).toEqual([...TASK_QUEUES].toSorted());
  });

  it('migrates before each install and upgrade, and scales and protects each program', () => {
    const manifests = manifestsOf(renderWith(ALL));
    const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
    expect(of('Job')[0].metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const names = (kind: string) =>
      of(kind)
        .map(({ metadata }) => metadata.name)
        .toSorted();
    expect(names('PodDisruptionBudget')).toEqual(['desk-api', 'desk-crawler', 'desk-worker']);
    expect(names('HorizontalPodAutoscaler')).toEqual(['desk-api', 'desk-crawler']);
    for (const { metadata, spec } of of('Deployment'))
      expect(spec.replicas === undefined).toBe(['desk-api', 'desk-crawler'].includes(metadata.name));
    expect(names('Service')).toEqual(['desk-api', 'desk-worker-mail']);
  });

  it.each([
    ['an image without a digest', { image: { repository: 'x', digest: 'latest' } }, /digest/],
    ['an address without TLS', { settings: { PUBLIC_URL: 'http://x', TEMPORAL_ADDRESS: 'x' } }, /PUBLIC_URL/],
    ['no secret', { secrets: { existingSecret: '' } }, /existingSecret/],
    ['no secret of the owner', { migrations: { existingSecret: '' } }, /owner of the database/],
    ['a secret that no program reads', { secrets: { names: ['DATABASE_URL', 'JWT_SECRTE'] } }, /names/],
    ['a secret in the environment', { settings: { ...SETTINGS, JWT_SECRET: 'x' } }, /JWT_SECRET/],
    ['another file of a secret', { settings: { ...SETTINGS, JWT_SECRET_FILE: '/x' } }, /settings\.JWT_SECRET_FILE/],
    [
      'a port that the chart sets',
      { settings: { ...SETTINGS, OPS_PORT: 9 } },
      /settings\.OPS_PORT: the chart sets it to 9090/,
    ],
    ['the port of the api', { settings: { ...SETTINGS, PORT: 9 } }, /settings\.PORT/],
    ['the queues of all workers', { settings: { ...SETTINGS, WORKER_QUEUES: 'bulk' } }, /settings\.WORKER_QUEUES/],
    ['a bucket beside a claim', { files: { existingClaim: 'files' } }, /settings\.STORAGE_URL/],
    [
      'a worker with the name of the api',
      { workers: { api: { queues: ['bulk'], replicas: 1 } } },
      /propertyName 'api'/,
    ],
    ['a worker in upper case', { workers: { Mail: { queues: ['bulk'], replicas: 1 } } }, /propertyName 'Mail'/],
    ['a queue without a worker', { workers: { crawler: { queues: ['crawls'] } } }, /rendering has no worker/],
    ['a queue of two workers', { workers: { crawler: { queues: ['crawls', 'rendering', 'bulk'] } } }, /two kinds/],
  ])('refuses %s, and says so', (_, wrong, message) => {
    expect(() => renderWith({ ...NEEDED, ...wrong })).toThrow(message);
  });
});
