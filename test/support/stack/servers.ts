import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** The database, migrated, that every test's own is copied from. */
export const TEMPLATE_DATABASE = 'template_switchboard';

const OBJECT_IN_USE = '55006';
const MAX_ATTEMPTS = 100;

/** A migrated, empty database of its own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await copyTemplate(name);
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) };
}

/** Returns the address of a database by TCP, also for the address of a Unix socket. */
export function overTcp(url: string): URL {
  const address = new URL(url);
  if (/^%2f/i.test(address.hostname)) address.hostname = '127.0.0.1';
  return address;
}

/** One for each test process, so that no test's worker takes another one's tasks. */
export const TEST_NAMESPACES = ['test-1', 'test-2', 'test-3', 'test-4', 'test-5'];

/** This test process's. */
export const testNamespace = (): string => `test-${process.env.JEST_WORKER_ID ?? '1'}`;

/** The address of the Temporal server, whose namespaces know our search attributes. */
export function temporalAddress(): string {
  return requiredEnv('TEST_TEMPORAL_ADDRESS');
}

/** The workflows, bundled once for the whole run. */
export function testWorkflowBundle(): { code: string } {
  return { code: readFileSync(requiredEnv('TEST_WORKFLOW_BUNDLE'), 'utf8') };
}

/** Runs a statement that concerns the server. */
export async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Postgres refuses to copy a template while anybody looks at it, another copy included. */
async function copyTemplate(name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await administer(`create database ${name} template ${TEMPLATE_DATABASE} strategy file_copy`);
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || attempt === MAX_ATTEMPTS) throw error;
      await sleep(20 + Math.random() * 80);
    }
  }
}

const adminUrl = () => requiredEnv('TEST_DATABASE_URL');

function requiredEnv(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: these tests run by "npm test", which starts the servers`);
  return value;
}
