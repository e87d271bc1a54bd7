import { performance } from 'node:perf_hooks';
import type { Db } from '../src/db/connect.ts';
import { issueOrgKey, issuePartnerKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { createOrg, createPartner } from '../src/partners/service.ts';
import { seedInbox, seedReads } from './support/inbox-seed.ts';
import { type Finding, note, percentile, report } from './support/report.ts';
import { type Stack, withStack } from './support/stack.ts';

/** All of them open: a list has to find its page among all. A session has ten messages. */
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 100_000);
const MAX_RATIO = 1.5;
const WARM_UPS = 100;
const TIMES = 300;

type Caller = 'key' | 'member';

/** The lists, each compared with a bare route that the same caller asks for one page by one index. */
const LISTS: [name: string, query: string, by?: Caller][] = [
  ['newest', 'order=newest'],
  ['longest waiting first', 'order=waiting'],
  ['next target first', 'order=sla'],
  ['by creation', 'order=created'],
  ['the view Unassigned', 'view=unassigned'],
  ['the view Waiting', 'view=waiting'],
  ['the view Breaching', 'view=breaching'],
  ['of one member', 'assignee=ID'],
  ['of one tag', 'tag=half'],
  ['of a rare tag', 'tag=rare'],
  ['the console’s view All', 'view=all', 'member'],
  ['the console’s view Mine', 'view=mine', 'member'],
  ['the console’s view Waiting', 'view=waiting', 'member'],
  ['unread', 'unread=true', 'member'],
];

async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const partner = await createPartner(db, { name: 'Bench' });
  const { id: orgId } = await createOrg(db, partner.id, { name: 'One' });
  const start = performance.now();
  await seedInbox(db, orgId, SESSIONS);
  const member = await db
    .selectFrom('members as member')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .select(['member.user_id as id', 'person.email'])
    .where('member.org_id', '=', orgId)
    .where('member.user_id', 'in', ({ selectFrom }) =>
      selectFrom('sessions').select('assignee_id').where('org_id', '=', orgId).where('assignee_id', 'is not', null),
    )
    .orderBy('member.user_id')
    .limit(1)
    .executeTakeFirstOrThrow();
  await seedReads(db, orgId, member.id);
  note(`${SESSIONS} open sessions, seeded in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  const read = await startApi(stack, db, { orgId, partnerId: partner.id, email: member.email });
  const findings: Finding[] = [];
  for (const [name, query, by = 'key'] of LISTS) {
    const path = `/inbox?status=open&${query.replace('ID', String(member.id))}`;
    const calls = { list: () => read(path, by), bare: () => read('/bare-inbox', by) };
    findings.push(finding(name, await timesOf(calls)));
  }
  return findings;
}

/** Starts our api as in production with the bare route, so both have the same edge. Returns what reads a page as a key or a member. */
async function startApi(
  stack: Stack,
  db: Db,
  { orgId, partnerId, email }: { orgId: string; partnerId: string; email: string },
) {
  const rate = '1000000000';
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: rate, RATE_LIMIT_MEMBER: rate };
  const api = await stack.start(import.meta.resolve('./support/baselines/bare-inbox.ts'), limits, 'api');
  const url = await api.ask<string>('url');
  const tokens = createTokens([stack.env.JWT_SECRET ?? '']);
  const { api_key } = await issueOrgKey(db, tokens, orgId, { name: 'Bench' });
  const partnerKey = (await issuePartnerKey(db, tokens, partnerId, 'Bench')).api_key;
  const headers: Record<Caller, Record<string, string>> = {
    key: { authorization: `Bearer ${api_key}` },
    member: { cookie: await signIn(url, partnerKey, { orgId, email }) },
  };
  return async (path: string, by: Caller) => {
    const answer = await fetch(url + path, { headers: headers[by] });
    const body = (await answer.json()) as { items?: unknown[] };
    if (answer.status !== 200 || !body.items?.length) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };
}

/** Signs a member in by a login link, and returns the cookie. */
async function signIn(url: string, partnerKey: string, { orgId, email }: { orgId: string; email: string }) {
  const created = await fetch(`${url}/partner/v1/orgs/${orgId}/login-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${partnerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  const link = new URL(((await created.json()) as { url: string }).url);
  const { headers } = await fetch(url + link.pathname + link.search, { redirect: 'manual' });
  const [cookie] = headers.getSetCookie()[0]?.split(';') ?? [];
  if (cookie === undefined) throw new Error(`The link of ${email} did not sign in`);
  return cookie;
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
