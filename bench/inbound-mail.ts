import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createTransport } from 'nodemailer';
import { forEachConcurrently } from '../src/concurrency/limited.ts';
import type { Db } from '../src/db/connect.ts';
import { putInbox } from '../src/deliveries/email-inboxes/service.ts';
import { anyFreePort, canConnect } from '../src/dev/ports.ts';
import { newId } from '../src/ids.ts';
import { note, rateFinding, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { withStack } from './support/stack.ts';

// E-mails of as many senders to one inbox: from the socket to the stored session, beside a bare loop of parsing and an
// insert. Rounds of both alternate.
const MAILS = 500;
const WARM_UP_MAILS = 100;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONNECTIONS = 10;
const AT_LEAST = 0.5;
const LOOK_MS = 50;
const DOMAIN = 'in.bench.example';
const INBOX = `support@${DOMAIN}`;
const TEXT = 'My parcel has not arrived, and its number says that it was given to a neighbour.\n'.repeat(10);

async function handOver(port: number, mails: number): Promise<void> {
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    ignoreTLS: true,
    pool: true,
    maxConnections: CONNECTIONS,
  });
  const round = newId();
  await forEachConcurrently(
    Array.from({ length: mails }, (_, nth) => nth),
    CONNECTIONS,
    async (nth) => {
      const from = `ann.${nth}.${round}@example.com`;
      await transport.sendMail({
        from: { name: `Ann ${nth}`, address: from },
        to: INBOX,
        subject: `Parcel ${nth}`,
        text: TEXT,
      });
    },
  );
  transport.close();
}

/** Returns the e-mails a second, up to the last one that is stored. */
async function rateOf(port: number, mails: number, count: () => Promise<number>): Promise<number> {
  const wanted = (await count()) + mails;
  const begun = performance.now();
  await handOver(port, mails);
  while ((await count()) < wanted) await sleep(10);
  return (1_000 * mails) / (performance.now() - begun);
}

async function countMessages(db: Db, orgId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from session_events where org_id = ${orgId} and type = 'message'
  `.execute(db);
  return rows[0]?.count ?? 0;
}

await report(() =>
  withStack({ hasTemporal: true }, async ({ db, start }) => {
    const port = await anyFreePort();
    const env = { DEVELOPMENT: 'true', HOST: '127.0.0.1', INBOUND_DOMAIN: DOMAIN, INBOUND_SMTP_PORT: String(port) };
    await start('worker', env);
    while (!(await canConnect('127.0.0.1', port, LOOK_MS))) await sleep(LOOK_MS); // it receives once it has started
    const bare = await start(import.meta.resolve('./support/baselines/bare-mailbox.ts'));
    const barePort = await bare.ask<number>('port');
    const orgId = await seedOrg(db, 0);
    const inbox = { address: INBOX, display_name: null, team_id: null, signature: null, is_default_sender: false };
    await putInbox(db, orgId, inbox, { inboundDomain: DOMAIN });
    const subject = (mails: number) => rateOf(port, mails, () => countMessages(db, orgId));
    const baseline = (mails: number) => rateOf(barePort, mails, () => bare.ask<number>('count'));
    await subject(WARM_UP_MAILS);
    await baseline(WARM_UP_MAILS);
    await sql`analyze`.execute(db); // as autovacuum soon does
    const rates = { subject: [] as number[], baseline: [] as number[] };
    for (let round = 1; round <= ROUNDS; round++) {
      const [ours, least] = [await subject(MAILS), await baseline(MAILS)];
      rates.subject.push(ours);
      rates.baseline.push(least);
      note(`round ${round}: ${ours.toFixed(0)}/s, bare ${least.toFixed(0)}/s`);
    }
    return [
      rateFinding('mails, from the socket to the session / parse and insert', rates.subject, rates.baseline, AT_LEAST),
    ];
  }),
);
