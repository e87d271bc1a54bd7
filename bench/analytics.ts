import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { connect, type Db } from '../src/db/connect.ts';
import { waitUntilResponding } from '../src/dev/http-probe.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { createOrg, createPartner } from '../src/partners/service.ts';
import { seedAnalytics } from './support/analytics-seed.ts';
import { type Finding, median, note, report } from './support/report.ts';
import { type Stack, withStack } from './support/stack.ts';

/** In each of two orgs, with five messages each. */
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 200_000);
const TARGET_MS = 200;
const WARM_UPS = 2;
const TIMES = 11;

/** In days. A year is all that an org has. */
const RANGES = { '30 days': 30, 'a year': 366 };

const GROUPS = {
  conversations: ['day', 'team'],
  csat: ['day', 'channel'],
  sla: ['day', 'team'],
  deliveries: ['day', 'channel'],
  automations: ['day', 'workflow'],
  ai: ['day', 'channel'],
};

async function measure(stack: Stack, db: Db): Promise<Finding[]> {
  const partner = await createPartner(db, { name: 'Bench' });
  const start = performance.now();
  const [orgId, otherId] = [await newOrg(db, partner.id, 'One'), await newOrg(db, partner.id, 'Other')];
  for (const id of [otherId, orgId]) await seedAnalytics(db, id, SESSIONS);
  note(`two orgs with ${SESSIONS * 5} messages each, seeded in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  const get = await startApi(stack, db, orgId);
  const findings: Finding[] = [];
  for (const [range, days] of Object.entries(RANGES)) {
    const from = new Date(Date.now() - days * 86_400_000).toISOString();
    const bareMs = await timeOf(() =>
      sql`select count(*) from sessions where org_id = ${orgId} and created_at >= ${from}`.execute(db),
    );
    for (const [subject, groups] of Object.entries(GROUPS))
      for (const group of groups) {
        const ms = await timeOf(() => get(`/analytics/${subject}?group_by=${group}&from=${from}`));
        findings.push(finding(`${subject} by ${group}, ${range}`, ms, bareMs));
      }
  }
  return findings;
}

const newOrg = async (db: Db, partnerId: string, name: string) => (await createOrg(db, partnerId, { name })).id;

async function startApi(stack: Stack, db: Db, orgId: string): Promise<(path: string) => Promise<unknown>> {
  const PORT = String(await anyFreePort());
  await stack.start('api', { PORT, RATE_LIMIT_STANDARD: '1000000000' });
  const url = `http://127.0.0.1:${PORT}`;
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  const { api_key } = await issueOrgKey(db, createTokens([stack.env.JWT_SECRET ?? '']), orgId, { name: 'Bench' });
  return async (path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${api_key}` } });
    const body = (await answer.json()) as { items?: unknown[] };
    if (answer.status !== 200 || body.items?.length === 0) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = -WARM_UPS; round < TIMES; round++) {
    const start = performance.now();
    await run();
    if (round >= 0) times.push(performance.now() - start);
  }
  return median(times);
}

const finding = (name: string, ms: number, bareMs: number): Finding => ({
  name,
  subject: `${ms.toFixed(1)} ms`,
  baseline: `${bareMs.toFixed(1)} ms`,
  ratio: (ms / bareMs).toFixed(1),
  target: `≤ ${TARGET_MS} ms`,
  isMet: ms <= TARGET_MS,
});

await report(() =>
  withStack({ hasTemporal: false }, async (stack) => {
    const { db, close } = connect(stack.databaseUrl, { poolSize: 2 });
    try {
      return await measure(stack, db);
    } finally {
      await close();
    }
  }),
);
