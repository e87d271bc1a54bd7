import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keysOf } from '../collections/checked-access.ts';
import { freePort } from './ports.ts';

const DEFAULT_PORTS = {
  PORT: 8080,
  TEMPORAL_PORT: 7233,
  TEMPORAL_UI_PORT: 8233,
  POSTGRES_PORT: 5432,
  SMTP_PORT: 1025,
  MAIL_PORT: 8025,
  SHOP_PORT: 8090,
};

export type Ports = typeof DEFAULT_PORTS;

export type StackSecrets = { JWT_SECRET: string; SECRET_KEYS: string; postgresPassword: string };

/**
 * Chooses each port: the requested one, else that of the last start, else the default. If it is taken, chooses the next
 * free one.
 */
export async function choosePorts(
  dataFolder: string,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<Ports> {
  const file = join(dataFolder, 'ports.json');
  const remembered = readJson<Partial<Ports>>(file) ?? {};
  const taken = new Set<number>();
  const ports = { ...DEFAULT_PORTS };
  for (const name of keysOf(ports)) {
    const asked = requestedPort(name, env[name]);
    const preferred = asked ?? remembered[name] ?? DEFAULT_PORTS[name];
    ports[name] = await freePort(preferred, taken);
    if (asked !== undefined && ports[name] !== asked) say(`${name}=${asked} is taken, using ${ports[name]}`);
  }
  writeFileSync(file, JSON.stringify(ports));
  return ports;
}

/** Loads the secrets of this data folder, creating them on the first start. */
export function loadOrCreateSecrets(dataFolder: string): StackSecrets {
  return loadOrCreateJson(join(dataFolder, 'secrets.json'), () => ({
    JWT_SECRET: randomBytes(48).toString('base64url'),
    SECRET_KEYS: `dev:${randomBytes(32).toString('base64')}`,
    postgresPassword: randomBytes(18).toString('base64url'),
  }));
}

/** Reads a JSON file. Returns undefined if it is missing or unreadable. */
export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Writes a file readable only by its owner. */
export function writePrivateJson(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

function loadOrCreateJson<T>(file: string, make: () => T): T {
  const kept = readJson<T>(file);
  if (kept !== undefined) return kept;
  const made = make();
  writePrivateJson(file, made);
  return made;
}

function requestedPort(name: string, value: string | undefined): number | undefined {
  if (!value) return undefined;
  const port = Number(value);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${name} must be a port number, not "${value}"`);
}
