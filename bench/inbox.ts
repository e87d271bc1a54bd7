import { performance } from 'node:perf_hooks';
import type { Db } from '../src/db/connect.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { createOrg, createPartner } from '../src/partners/service.ts';
import { seedInbox } from './support/inbox-seed.ts';
import { type Finding, note, percentile, report } from './support/report.ts';
import { type Stack, withStack } from './support/stack.ts';

/** All of them open: a list has to find its page among all. A session has ten messages. */
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 100_000);
const MAX_RATIO = 1.5;
const WARM_UPS = 10;
const TIMES = 100;

/** The lists, each compared with a bare route that reads one page by one index. */
const LISTS: Record<string, string> = {
  newest: 'order=newest',
  'longest waiting first': 'order=waiting',
  'next target first': 'order=sla',
  'by creation': 'order=created',
  'the view Unassigned': 'view=unassigned',
  'the view Waiting': 'view=waiting',
  'the view Breaching': 'view=breaching',
  'of one member': 'assignee=ID',
  'of one tag': 'tag=half',
  'of a rare tag': 'tag=rare',
};

async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const partner = await createPartner(db, { name: 'Bench' });
  const { id: orgId } = await createOrg(db, partner.id, { name: 'One' });
  const start = performance.now();
  await seedInbox(db, orgId, SESSIONS);
  note(`${SESSIONS} open sessions, seeded in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  const { list, bare } = await startApi(stack, db, orgId);
  const { assignee_id } = await db
    .selectFrom('sessions')
    .select('assignee_id')
    .where('org_id', '=', orgId)
    .where('assignee_id', 'is not', null)
    .executeTakeFirstOrThrow();
  const findings: Finding[] = [];
  for (const [name, query] of Object.entries(LISTS)) {
    const path = `/inbox?status=open&${query.replace('ID', String(assignee_id))}`;
    findings.push(finding(name, await timesOf({ list: () => list(path), bare })));
  }
  return findings;
}

/** Starts our api with the bare route, so both have the same edge. */
async function startApi(stack: Stack, db: Db, orgId: string) {
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: '1000000000' };
  const api = await stack.start(import.meta.resolve('./support/baselines/bare-inbox.ts'), limits);
  const url = await api.ask<string>('url');
  const { api_key } = await issueOrgKey(db, createTokens([stack.env.JWT_SECRET ?? '']), orgId, { name: 'Bench' });
  const list = async (path: string) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${api_key}` } });
    const body = (await answer.json()) as { items?: unknown[] };
    if (answer.status !== 200 || body.items?.length === 0) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
  return { list, bare: () => list('/bare-inbox') };
}

/** Returns the times of alternating calls: a slow moment of the machine affects both. */
async function timesOf(calls: Record<'list' | 'bare', () => Promise<unknown>>) {
  const times = { list: [] as number[], bare: [] as number[] };
  for (let round = -WARM_UPS; round < TIMES; round++)
    for (const side of ['list', 'bare'] as const) {
      const start = performance.now();
      await calls[side]();
      if (round >= 0) times[side].push(performance.now() - start);
    }
  return times;
}

function finding(name: string, { list, bare }: { list: number[]; bare: number[] }): Finding {
  const [ms, bareMs] = [percentile(list, 95), percentile(bare, 95)];
  note(
    `${name}: p50 ${percentile(list, 50).toFixed(1)} ms, p95 ${ms.toFixed(1)} ms; bare p50 ${percentile(bare, 50).toFixed(1)} ms, p95 ${bareMs.toFixed(1)} ms`,
  );
  return {
    name: `inbox: ${name}, p95`,
    subject: `${ms.toFixed(1)} ms`,
    baseline: `${bareMs.toFixed(1)} ms`,
    ratio: (ms / bareMs).toFixed(2),
    target: `≤ ${MAX_RATIO}`,
    isMet: ms <= MAX_RATIO * bareMs,
  };
}

await report(() => withStack({ hasTemporal: false }, measure));
