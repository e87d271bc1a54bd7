import { sql } from 'kysely';
import { waitUntilResponding } from '../../../src/dev/http-probe.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { seedWorkflow } from '../../support/automation-runs.ts';
import { childrenNamed } from '../../support/processor-time.ts';
import type { Stack } from '../../support/stack.ts';
import { type RunsSide, startSink } from './runs.ts';

const UNLIMITED = '1000000000';

/** Starts our api and worker on the stack, with a workflow: webhook, condition, call. */
export async function startOurRuns(stack: Stack): Promise<RunsSide> {
  const sink = await startSink();
  const PORT = String(await anyFreePort());
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: UNLIMITED, RATE_LIMIT_ADDRESS: UNLIMITED };
  const env = { EGRESS_ALLOW: '127.0.0.0/8', DEVELOPMENT: 'true', ...limits };
  const worker = await stack.start('worker', env);
  const api = await stack.start('api', { ...env, PORT });
  await waitUntilResponding(`http://127.0.0.1:${PORT}/healthz`, stack.logFile);
  const { orgId } = await seedWorkflow(stack.db, sink.url);
  const { rows } = await sql<{ path: string }>`
    select '/hooks/workflows/' || id || '/' || webhook_token as path from automations where org_id = ${orgId}
  `.execute(stack.db);
  const webhookUrl = `http://127.0.0.1:${PORT}${rows[0]?.path}`;
  return { name: 'ours', webhookUrl, sink, pids: [worker.pid, api.pid, ...childrenNamed(['postgres', 'temporal'])] };
}
