import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

const COMPOSE = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));
/** What Compose refuses to start without. */
const NEEDED = {
  POSTGRES_PASSWORD: 'a',
  POSTGRES_OWNER_PASSWORD: 'b',
  TEMPORAL_POSTGRES_PASSWORD: 'c',
  JWT_SECRET: 'd',
  SECRET_KEYS: 'k:e',
  PUBLIC_URL: 'https://support.example.com',
};
/** Our programs put files there before they are stored, which can be larger than the memory of a container. */
const FOLDER_FOR_FILES = '/tmp';
const OURS = ['api', 'worker', 'crawler', 'migrate'];

interface Service {
  image: string;
  user?: string;
  read_only?: boolean;
  privileged?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  volumes?: string[];
}

const { services } = load(readFileSync(COMPOSE, 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
  services: Record<string, Service>;
};

describe.each(Object.entries(services))('the container %s', (name, service) => {
  it('writes to its volumes and to memory only', () => {
    expect(service.read_only).toBe(true);
    if (OURS.includes(name)) expect(service.volumes).toContain(FOLDER_FOR_FILES);
  });

  it('runs as a user without privileges', () => {
    expect(service.user).toMatch(/^(?:node|postgres|temporal|1000:1000)$/);
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.cap_add ?? []).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
    expect(service.privileged).toBeUndefined();
  });

  it('is of an image with a fixed version', () => {
    expect(service.image).toMatch(/^(?:switchboard$|[a-z/-]+:\d)/);
  });
});

const isInstalled = spawnSync('docker-compose', ['version']).error === undefined;
(isInstalled ? it : it.skip)('docker-compose.yml is valid, by Compose if it is installed', () => {
  const { status, stderr } = spawnSync('docker-compose', ['--file', COMPOSE, 'config', '--quiet'], {
    env: { PATH: process.env.PATH, ...NEEDED },
  });
  expect({ status, errors: String(stderr) }).toEqual({ status: 0, errors: '' });
});
