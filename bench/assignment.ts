import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { waitUntilResponding } from '../src/dev/http-probe.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { addMember } from '../src/orgs/members/service.ts';
import { type Finding, median, note, percentile, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const SESSIONS = 60;
const WARM_UPS = 10;
/** Between two closings, so that the workflow of the one before has ended. */
const PAUSE_MS = 300;
const LOOK_MS = 1;
const TARGET_MS = 50;

type Post = (method: string, path: string, body: object) => Promise<{ id: string }>;

/**
 * Measures how long a session waits for a member after another one was closed, over the api and the worker. The baseline
 * is a bare statement that assigns it, seen by the same looks.
 */
async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const orgId = await seedOrg(db, 1);
  const call = await startApi(stack, orgId);
  await stack.start('worker', {});
  const ids = await fillQueue(db, call, orgId);
  const [first = '', ...waiting] = ids;
  const times: number[] = [];
  const bareTimes: number[] = [];
  let current = first;
  for (const next of waiting) {
    await sleep(PAUSE_MS);
    await call('PATCH', `/chat/sessions/${current}`, { status: 'closed_resolved' });
    times.push(await timeUntilAssigned(db, next));
    await sql`update sessions set assignee_id = null where id = ${current}`.execute(db);
    const assigning = sql`update sessions set assignee_id = (select assignee_id from sessions where id = ${next}) where id = ${current}`;
    const seen = timeUntilAssigned(db, current);
    await assigning.execute(db);
    bareTimes.push(await seen);
    current = next;
  }
  const measured = times.slice(WARM_UPS);
  const [ms, bareMs] = [median(measured), median(bareTimes.slice(WARM_UPS))];
  note(`p95 ${percentile(measured, 95).toFixed(1)} ms, longest ${Math.max(...measured).toFixed(1)} ms`);
  return [
    {
      name: 'a waiting session is assigned after another one was closed / a bare update',
      subject: `${ms.toFixed(1)} ms`,
      baseline: `${bareMs.toFixed(1)} ms`,
      ratio: (ms / bareMs).toFixed(1),
      target: `≤ ${TARGET_MS} ms`,
      isMet: ms <= TARGET_MS,
    },
  ];
}

async function startApi(stack: Stack, orgId: string): Promise<Post> {
  const PORT = String(await anyFreePort());
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: '1000000000' };
  await stack.start('api', { PORT, ...limits });
  const url = `http://127.0.0.1:${PORT}`;
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  const tokens = createTokens([stack.env.JWT_SECRET ?? '']);
  const { api_key } = await issueOrgKey(stack.db, tokens, orgId, { name: 'Bench' });
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text === '' ? { id: '' } : JSON.parse(text);
  };
}

/** Creates a team of one member who can have one session. Returns its sessions in the order of the queue. */
async function fillQueue(db: Db, call: Post, orgId: string): Promise<string[]> {
  await call('PATCH', '/org/settings', { member_capacity: 1 });
  const userId = await addMember(db, orgId, { email: 'agent@example.com' });
  const team = { name: 'Support', is_support_enabled: true, support_assignment_strategy: 'least-busy' };
  const { id: teamId } = await call('POST', '/teams', team);
  await call('POST', `/teams/${teamId}/users`, { userId });
  const ids: string[] = [];
  for (let n = 0; n < SESSIONS; n++) {
    const { id } = await call('POST', '/chat/sessions', {});
    await call('POST', `/chat/sessions/${id}/assign`, { team_id: teamId });
    ids.push(id);
  }
  return ids;
}

/** Returns the time until the session has an assignee. */
async function timeUntilAssigned(db: Db, id: string): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { rows } = await sql`select from sessions where id = ${id} and assignee_id is not null`.execute(db);
    if (rows.length > 0) return performance.now() - start;
    await sleep(LOOK_MS);
  }
}

await report(() => withStack({ hasTemporal: true }, measure));
