import { existsSync } from 'node:fs';
import { chmod, cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { built, part } from '../../support/built-tools.ts';

const TEMPORAL_VERSION = 'v1.31.0';
const S3_VERSION = '3.7.1';
const SERVER_MODULE = `go.temporal.io/server@${TEMPORAL_VERSION}`;

export interface ClusterTools {
  /** A folder with temporal-server, temporal-sql-tool and the schemas of Postgres. */
  temporal: string;
  /** The program of an S3 server. */
  s3: string;
  pgbouncer: string;
  caddy: string;
}

/** Returns the programs besides the product's and the downloaded ones. Returns what is missing instead if one is. */
export async function findClusterTools(): Promise<ClusterTools | string> {
  const pgbouncer = process.env.PGBOUNCER_PATH ?? '/usr/sbin/pgbouncer';
  const caddy = process.env.CADDY_PATH ?? '/usr/bin/caddy';
  for (const file of [pgbouncer, caddy]) if (!existsSync(file)) return `there is no ${file}`;
  const s3 = 'node_modules/s3rver/bin/s3rver.js';
  try {
    return {
      temporal: await built(`temporal-server-${TEMPORAL_VERSION}`, 'temporal-server', buildTemporal),
      s3: join(await built(`s3rver-${S3_VERSION}`, s3, buildS3), s3),
      pgbouncer,
      caddy,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

async function buildTemporal(folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  const programs = ['server', 'tools/sql'].map((path) => SERVER_MODULE.replace('@', `/cmd/${path}@`));
  await part('temporal-server', 'go', ['install', ...programs], { env });
  const { Dir } = JSON.parse(await part('temporal-server', 'go', ['mod', 'download', '-json', SERVER_MODULE], { env }));
  await cp(join(Dir, 'schema', 'postgresql'), join(folder, 'schema', 'postgresql'), { recursive: true });
  // The module cache is read-only, and a copy keeps that.
  await part('temporal-server', 'chmod', ['-R', 'u+w', folder]);
  await chmod(folder, 0o755);
  await rename(join(folder, 'sql'), join(folder, 'temporal-sql-tool'));
  await rename(join(folder, 'server'), join(folder, 'temporal-server'));
}

async function buildS3(folder: string): Promise<void> {
  const flags = ['install', '--no-audit', '--no-fund', '--prefix', folder, `s3rver@${S3_VERSION}`];
  await part('s3rver', 'npm', flags);
}
