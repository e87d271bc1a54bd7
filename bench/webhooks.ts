import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { announce } from '../src/outbox/announcing.ts';
import { createSecrets } from '../src/secrets.ts';
import { CreateEndpoint } from '../src/webhooks/endpoints/schema.ts';
import { createEndpoint } from '../src/webhooks/endpoints/service.ts';
import {
  type Finding,
  median,
  medianRatio,
  memoryFinding,
  note,
  percentile,
  rateFinding,
  report,
  timeFinding,
} from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const PAIRS = 150;
const WARM_UP_PAIRS = 20;
const PAUSE_MS = 20;
const BACKLOG = 2_000;
const ROUNDS = 5;
/** More, as they are short and the difference looked for is small. */
const ROUNDS_OF_NEIGHBORS = 15;
/** About half of what the worker can send. */
const STEADY_PER_SECOND = 1_250;
const TICK_MS = 20;
const MEMORY_LIMIT_MB = 400;
const EGRESS_ALLOW = '127.0.0.0/8';
const HANGING = '/hanging';

/** A receiver that notes when each webhook arrives, by what is in it. */
async function startReceiver() {
  const arrivals = new Map<string, number>();
  let onArrival = () => {};
  const server = createServer((request, response) => {
    if (request.url === HANGING) return;
    const at = performance.now();
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { data } = JSON.parse(body);
      arrivals.set(data.contact.id, at);
      response.writeHead(204).end();
      onArrival();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    untilArrived: (ids: string[]) =>
      new Promise<void>((resolve) => {
        const missing = new Set(ids.filter((id) => !arrivals.has(id)));
        const look = () => {
          for (const id of missing) if (arrivals.has(id)) missing.delete(id);
          if (missing.size === 0) resolve();
        };
        onArrival = look;
        look();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>;

async function seedContacts(db: Db, orgId: string): Promise<string[]> {
  const contacts = await db.selectFrom('contacts').select('id').where('org_id', '=', orgId).orderBy('id').execute();
  return contacts.map(({ id }) => id);
}

/** Commits events about contacts. */
const happen = (db: Db, orgId: string, ids: string[]) =>
  inTransaction(db, (trx) =>
    announce(
      trx,
      orgId,
      ids.map((subject_id) => ({ type: 'contact-created', subject_id, payload: {} })),
    ),
  );

/** Commits the rows of the bare loop, with bodies like ours. */
async function insertBare(db: Db, orgId: string, ids: string[]): Promise<void> {
  await sql`
    with inserted as (
      insert into bare_posts (id, body)
      select uuidv7(), json_build_object('type', 'contact.created', 'timestamp', now(), 'organization_id', ${orgId}::uuid,
        'data', json_build_object('contact', to_jsonb(contact)))::text
      from contacts as contact where id = any(${ids}::uuid[])
    )
    select pg_notify('bare_posts', '')`.execute(db);
}

async function timeToArrival(receiver: Receiver, id: string, commit: () => Promise<unknown>): Promise<number> {
  receiver.arrivals.delete(id);
  await commit();
  const committedAt = performance.now();
  await receiver.untilArrived([id]);
  return (receiver.arrivals.get(id) ?? 0) - committedAt;
}

async function rateOf(receiver: Receiver, ids: string[], commit: () => Promise<unknown>): Promise<number> {
  receiver.arrivals.clear();
  const begun = performance.now();
  await commit();
  await receiver.untilArrived(ids);
  return (ids.length * 1_000) / (performance.now() - begun);
}

interface Sides {
  receiver: Receiver;
  ids: string[];
  ours: (ids: string[]) => Promise<unknown>;
  bare: (ids: string[]) => Promise<unknown>;
}

async function latency({ receiver, ids, ours, bare }: Sides): Promise<Finding> {
  const [our, direct]: [number[], number[]] = [[], []];
  for (let pair = -WARM_UP_PAIRS; pair < PAIRS; pair++) {
    const id = ids[pair + WARM_UP_PAIRS] ?? '';
    const directMs = await timeToArrival(receiver, id, () => bare([id]));
    await sleep(PAUSE_MS);
    const ourMs = await timeToArrival(receiver, id, () => ours([id]));
    await sleep(PAUSE_MS);
    if (pair < 0) continue;
    our.push(ourMs);
    direct.push(directMs);
  }
  return timeFinding('webhooks, commit to receiver, p50 / a bare loop', median(our), median(direct), 3);
}

async function throughput({ receiver, ids, ours, bare }: Sides): Promise<Finding> {
  const [our, direct]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const directRate = await rateOf(receiver, ids, () => bare(ids));
    await sleep(1_000);
    const ourRate = await rateOf(receiver, ids, () => ours(ids));
    await sleep(1_000);
    note(`round ${round}: ours ${ourRate.toFixed(0)}/s, bare loop ${directRate.toFixed(0)}/s`);
    if (round === 0) continue;
    our.push(ourRate);
    direct.push(directRate);
  }
  return rateFinding('webhooks, a backlog, 50 in flight / a bare loop', our, direct, 0.5);
}

const NEIGHBORS = ['none', 'disabled', 'hanging'] as const;
/**
 * An endpoint that accepts all, in three orgs: alone, beside a disabled one, and beside a hanging one. What the disabled
 * one would have got is stored too. So only what hanging costs the other endpoint tells the last two apart.
 */
type Neighbors = Record<(typeof NEIGHBORS)[number], Sides>;

/** Measures beside each neighbor in turn, after a round to warm up. */
async function besideEach(neighbors: Neighbors, measureOne: (sides: Sides) => Promise<number[]>) {
  const all: Record<keyof Neighbors, number[]> = { none: [], disabled: [], hanging: [] };
  for (let round = 0; round <= ROUNDS_OF_NEIGHBORS; round++)
    for (const name of NEIGHBORS) {
      const measured = await measureOne(neighbors[name]);
      if (round > 0) all[name].push(...measured);
    }
  return all;
}

async function hindrance(neighbors: Neighbors): Promise<Finding> {
  const rates = await besideEach(neighbors, async ({ receiver, ids, ours }) => {
    await sleep(1_000);
    return [await rateOf(receiver, ids, () => ours(ids))];
  });
  note(
    `ratio of the rate beside a hanging endpoint to that alone: ${medianRatio(rates.hanging, rates.none).toFixed(2)}`,
  );
  return rateFinding(
    'webhooks, beside a hanging endpoint / beside a disabled one',
    rates.hanging,
    rates.disabled,
    0.95,
  );
}

/** Commits events at a steady rate, and returns the time from each commit to the arrival. */
async function steadyDelays({ receiver, ids, ours }: Sides): Promise<number[]> {
  receiver.arrivals.clear();
  const committedAt = new Map<string, number>();
  const perTick = (STEADY_PER_SECOND * TICK_MS) / 1_000;
  const commits: Promise<void>[] = [];
  const begun = performance.now();
  for (let at = 0; at < ids.length; at += perTick) {
    const batch = ids.slice(at, at + perTick);
    const noted = ours(batch).then(() => {
      const now = performance.now();
      for (const id of batch) committedAt.set(id, now);
    });
    commits.push(noted);
    await sleep(Math.max(begun + commits.length * TICK_MS - performance.now(), 0));
  }
  await Promise.all(commits);
  await receiver.untilArrived(ids);
  return ids.map((id) => (receiver.arrivals.get(id) ?? 0) - (committedAt.get(id) ?? 0));
}

async function delays(neighbors: Neighbors): Promise<Finding[]> {
  const times = await besideEach(neighbors, steadyDelays);
  return [50, 95].map((percent) => {
    const at = (name: keyof Neighbors) => percentile(times[name], percent);
    note(
      `p${percent} at ${STEADY_PER_SECOND}/s: alone ${at('none').toFixed(1)} ms, beside a hanging endpoint ${at('hanging').toFixed(1)} ms`,
    );
    return timeFinding(
      `webhooks, ${STEADY_PER_SECOND}/s, p${percent} beside a hanging endpoint / beside a disabled one`,
      at('hanging'),
      at('disabled'),
      1.05,
    );
  });
}

async function addEndpoint(
  db: Db,
  env: Stack['env'],
  orgId: string,
  input: { url: string; enabled?: boolean },
): Promise<void> {
  const deps = { secrets: createSecrets(env.SECRET_KEYS ?? ''), egress: { resolve: async () => '127.0.0.1' } };
  await createEndpoint(db, deps, orgId, CreateEndpoint.parse({ ...input, event_types: ['contact.created'] }));
}

async function measure(stack: Stack, receiver: Receiver): Promise<Finding[]> {
  const { db } = stack;
  await sql`create table bare_posts (id uuid primary key, body text not null, posted_at timestamptz);
    create index on bare_posts (id) where posted_at is null`.execute(db);
  const orgId = await seedOrg(db, BACKLOG);
  const ids = await seedContacts(db, orgId);
  await addEndpoint(db, stack.env, orgId, { url: receiver.url });
  const poster = await stack.start(import.meta.resolve('./support/baselines/bare-poster.ts'));
  await poster.ask('start', { url: receiver.url });
  const worker = await stack.start('worker', { EGRESS_ALLOW });
  const ours = (some: string[]) => happen(db, orgId, some);
  const sides = { receiver, ids, ours, bare: (some: string[]) => insertBare(db, orgId, some) };
  await rateOf(receiver, ids.slice(0, 1), () => ours(ids.slice(0, 1)));

  const findings = [await latency(sides), await throughput(sides)];
  const sidesOf = async (other: string): Promise<Sides> => {
    await addEndpoint(db, stack.env, other, { url: receiver.url });
    await sql`insert into contacts (org_id, id, email, name, custom_data)
      select ${other}::uuid, uuidv7(), email, name, custom_data from contacts where org_id = ${orgId}`.execute(db);
    return { ...sides, ids: await seedContacts(db, other), ours: (some) => happen(db, other, some) };
  };
  const [besideDisabled, besideHanging] = [await seedOrg(db, 0), await seedOrg(db, 0)];
  await addEndpoint(db, stack.env, besideDisabled, { url: receiver.url + HANGING, enabled: false });
  await addEndpoint(db, stack.env, besideHanging, { url: receiver.url + HANGING });
  const neighbors = { none: sides, disabled: await sidesOf(besideDisabled), hanging: await sidesOf(besideHanging) };
  findings.push(...(await delays(neighbors)), await hindrance(neighbors));
  const memory = worker.peakMemoryMb();
  findings.push(memoryFinding('webhooks, memory of the worker at its peak', memory, MEMORY_LIMIT_MB));
  return findings;
}

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const receiver = await startReceiver();
    try {
      return await measure(stack, receiver);
    } finally {
      receiver.close();
    }
  }),
);
