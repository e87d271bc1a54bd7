import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { addressesOf, type FaultOrg } from '../faults/support/fault-org.ts';
import { until } from '../faults/support/until.ts';
import { startGrowingCrawl } from '../operations/support/growing-crawl.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { type FakeSite, startFakeSite } from '../support/fakes/site.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { startCampaign } from './support/soak-campaign.ts';
import { startSoakLoad } from './support/soak-load.ts';
import { chartOf, median, report, startSeries, tableOf, thirdsOf } from './support/soak-series.ts';
import { findClusterTools } from './support/tools.ts';

/** Minutes of load. */
const SOAK_MINUTES = Number(process.env.SOAK_MINUTES || 3);
/** Contacts, questions and orders a second, each. */
const SOAK_RATE = Number(process.env.SOAK_RATE || 4);
const SUPERVISE_MS = 500;
const INBOX = 'support@example.org';
/** How long a page of the crawled site takes, for each minute: the crawl is not done before. */
const PAGE_MS_A_MINUTE = 60;
const SETTLE_MS = 300_000;
const LIMIT_MS = 1_200_000 + SOAK_MINUTES * 60_000;
/** The mem_limit of docker-compose.yml. */
const MOST_MIB = 1024;
const MOST_OUTBOX_AGE_S = 15;
/** Of memory from the middle of the time to its end. */
const MOST_GROWTH = 1.25;

const tools = await findClusterTools();
if (typeof tools === 'string') console.log(`The production shape is not tried: ${tools}`);
const whenFound = typeof tools === 'string' ? describe.skip : describe;

whenFound('the production shape, without Docker', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(tools as Exclude<typeof tools, string>);
  }, LIMIT_MS);
  let shop: FakeProvider;
  let receiver: WebhookReceiver;
  let site: FakeSite;
  beforeAll(async () => {
    [shop, receiver, site] = await Promise.all([startFakeProvider(), startWebhookReceiver(), startFakeSite()]);
  });
  afterAll(async () => {
    await cluster.close();
    await Promise.all([shop.close(), receiver.close(), site.close()]);
  }, LIMIT_MS);

  it(
    'answers a message and sends a mail, through TLS, PgBouncer and Temporal on Postgres',
    async () => {
      const org = await answeringOrg(cluster);
      const { body: session } = await org.post('/chat/sessions', { channel: { type: 'api' } });
      const message = { sender: 'contact', message: { type: 'text', text: QUESTION } };
      expect((await org.post(`/chat/sessions/${session.id}/send`, message)).status).toBeLessThan(300);
      await until('the AI has answered', async () => {
        const { body } = await org.call('GET', `/chat/sessions/${session.id}/history`);
        return JSON.stringify(body).includes('five working days');
      });

      const sequence = await org.createSequence();
      const emails = addressesOf(org, 20);
      await org.addContacts(emails);
      await org.untilComplete(sequence, emails.length);
      expect(await org.outcomeOf(sequence, emails)).toEqual({ contacts: 20, mails: 20, unknown: 0, wrong: [] });

      const { body: begun } = await org.post('/exports', { resource: 'contacts', format: 'ndjson' });
      await until('the export is written', async () => {
        const { body } = await org.call('GET', `/exports/${begun.id}`);
        return typeof body.url === 'string';
      });
      const kept = readdirSync(cluster.objects, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      expect(kept).not.toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    `loses nothing and doubles nothing in ${SOAK_MINUTES} minutes in which each program is killed in turn`,
    async () => {
      const org = await answeringOrg(cluster);
      const { body: endpoint } = await org.post('/webhooks', { url: receiver.url, event_types: ['contact.created'] });
      receiver.secrets.push(endpoint.secret);
      const sequence = await org.createSequence();
      const series = startSeries(cluster);
      const [desk, sender] = [await cluster.newOrg(), await cluster.newOrg()];
      expect((await desk.call('PUT', '/email/inboxes', { address: INBOX })).status).toBe(200);
      const crawl = await startGrowingCrawl(desk, cluster.db, site, SOAK_MINUTES * PAGE_MS_A_MINUTE);
      const campaign = await startCampaign(sender, SOAK_MINUTES);
      const hook = await activeWorkflow(org, shop);
      const load = startSoakLoad({ org, hook, desk, inbox: INBOX }, 1000 / SOAK_RATE);
      const kills = await killInTurn(cluster, SOAK_MINUTES * 60_000);
      const accepted = await load.stop();

      const crawled = await crawl.finish(SETTLE_MS);
      await sender.untilComplete(campaign.sequence, campaign.emails.length, SETTLE_MS);
      await until('all mails are read', async () => (await unreadMails(cluster, desk)) === 0, SETTLE_MS);
      await org.untilComplete(sequence, accepted.contacts.length, SETTLE_MS);
      await until(
        'all runs have ended',
        async () => (await runsOf(cluster, org, ['in_progress', 'idle'])) === 0,
        SETTLE_MS,
      );
      const heard = () => new Map(receiver.received.map(({ id, body }) => [id, body.data.contact.email as string]));
      await until('all webhooks have come', async () => heard().size >= accepted.contacts.length, SETTLE_MS);
      await until(
        'all snoozes have ended',
        async () => (await snoozesOf(cluster, org)) === accepted.snoozed.length,
        SETTLE_MS,
      );
      await until('all questions are answered', async () => (await unanswered(cluster, org)) === 0, SETTLE_MS).catch(
        () => undefined,
      );
      const samples = series.stop();
      const outcome = await org.outcomeOf(sequence, accepted.contacts);
      const failures = await failuresOf(cluster, org);
      const failed = failures.length;
      const counts = {
        kills: kills.length,
        ...outcome,
        sessions: accepted.sessions.length,
        runs: accepted.orders.length,
        failures: [...Map.groupBy(failures, (error) => error)].map(([error, of]) => `${of.length} ${error}`),
      };
      const { mails, unknown, wrong } = await sender.outcomeOf(campaign.sequence, campaign.emails);
      const ended = {
        ...counts,
        webhooks: heard().size,
        snoozed: accepted.snoozed.length,
        campaign: { contacts: campaign.emails.length, mails, unknown },
        crawl: { ...crawled.counts, doubled: crawled.doubled.length },
        received: accepted.writers.length,
      };
      report([tableOf(samples), chartOf(samples), JSON.stringify(ended), ''].join('\n'));

      expect(accepted.refused).toEqual([]);
      expect([...outcome.wrong, ...wrong]).toEqual([]);
      expect(await writersOf(cluster, desk)).toEqual(accepted.writers.toSorted());
      expect([...heard().values()].sort()).toEqual([...accepted.contacts].sort());
      expect(await answersOf(cluster, org)).toEqual({ sessions: accepted.sessions.length, most: 1, least: 1 });
      expect((await runsOf(cluster, org, ['completed'])) + failed).toBe(accepted.orders.length);
      // A call that was under way when its worker was killed, which is not made again.
      expect(failures.filter((error) => !error.includes('The outcome is unknown'))).toEqual([]);
      const keys = Map.groupBy(shop.calls, ({ body }) => body);
      const doubled = [...keys].filter(
        ([, calls]) => new Set(calls.map(({ headers }) => headers['idempotency-key'])).size > 1,
      );
      expect(doubled.map(([body]) => body)).toEqual([]);
      expect(keys.size).toBeGreaterThanOrEqual(accepted.orders.length - failed);
      expect([crawled.lost, crawled.withoutItem, crawled.counts.completed_pages]).toEqual([[], [], crawled.pages]);
      for (const name of Object.keys(cluster.programs).filter((each) => /^(api|worker)/.test(each))) {
        expect(Math.max(...samples.map(({ memory }) => memory[name] ?? 0))).toBeLessThan(MOST_MIB);
        const [middle, last] = thirdsOf(samples).map((part) => median(part.map(({ memory }) => memory[name])) ?? 0);
        expect((last ?? 0) / (middle ?? 1)).toBeLessThan(MOST_GROWTH);
      }
      expect(median(thirdsOf(samples)[1].map(({ outboxAge }) => outboxAge))).toBeLessThan(MOST_OUTBOX_AGE_S);
    },
    LIMIT_MS,
  );
});

async function answeringOrg(cluster: Cluster): Promise<FaultOrg> {
  const org = await cluster.newOrg();
  await org.call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }] });
  await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
  await org.call('PATCH', '/autopilot/settings', { quiet_seconds: { api: 0.3 } });
  expect(await org.call('POST', '/autopilot/settings/publish')).toMatchObject({ status: 200 });
  return org;
}

/** A workflow that calls the shop. Returns the path of its webhook. */
async function activeWorkflow(org: FaultOrg, shop: FakeProvider): Promise<string> {
  const input = { url: shop.url, method: 'POST', body: { order: '{{trigger.output.body.order}}' } };
  const workflow_blocks = [{ $kind: 'Action', id: 'call', type: 'send-webhook', name: 'Call', input }];
  const { body } = await org.post('/workflows', { name: 'Orders', trigger_type: 'webhook', workflow_blocks });
  expect((await org.post(`/workflows/${body.workflow_id}/activate`, {})).status).toBe(200);
  return new URL(body.webhook_url).pathname;
}

/** Kills a program at least every minute, and each at least once, until the time is up. Returns whom it killed. */
async function killInTurn({ programs }: Cluster, limitMs: number): Promise<string[]> {
  const names = Object.keys(programs);
  const everyMs = Math.min(60_000, limitMs / (names.length + 1));
  const killed: string[] = [];
  let isOver = false;
  // As Compose does: whoever ends is started again, and whoever cannot start is tried again.
  const supervised = Object.values(programs).map(async (program) => {
    while (!isOver) {
      await program.start().catch(() => undefined);
      await sleep(SUPERVISE_MS);
    }
  });
  for (const end = performance.now() + limitMs - everyMs; performance.now() < end; ) {
    await sleep(everyMs);
    const name = names[killed.length % names.length] as string;
    await programs[name]?.kill();
    killed.push(name);
  }
  await sleep(everyMs);
  isOver = true;
  await Promise.all(supervised);
  for (const program of Object.values(programs)) await program.start();
  return killed;
}

const countOf = async ({ db }: Cluster, query: ReturnType<typeof sql<{ count: number }>>): Promise<number> =>
  Number((await query.execute(db)).rows[0]?.count ?? -1);

const runsOf = (cluster: Cluster, org: FaultOrg, statuses: string[]) =>
  countOf(
    cluster,
    sql`select count(*) as count from automation_runs where org_id = ${org.id}::uuid and status = any(${statuses}::text[])`,
  );

async function failuresOf({ db }: Cluster, org: FaultOrg): Promise<string[]> {
  const { rows } = await sql<{ error: string }>`
    select error from automation_runs where org_id = ${org.id}::uuid and status = 'failed'`.execute(db);
  return rows.map(({ error }) => error);
}

const snoozesOf = (cluster: Cluster, org: FaultOrg) =>
  countOf(
    cluster,
    sql`select count(*) as count from session_events where org_id = ${org.id}::uuid and type = 'snooze_ended'`,
  );

const unreadMails = (cluster: Cluster, org: FaultOrg) =>
  countOf(
    cluster,
    sql`select count(*) as count from inbound_emails where org_id = ${org.id}::uuid and processed_at is null`,
  );

/** The addresses of those who wrote, in order: once for each of their messages. */
async function writersOf({ db }: Cluster, org: FaultOrg): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select contact.email from session_events as event
    join sessions as session on session.org_id = event.org_id and session.id = event.session_id
    join contacts as contact on contact.org_id = session.org_id and contact.id = session.contact_id
    where event.org_id = ${org.id}::uuid and event.type = 'message' and event.sender = 'contact'`.execute(db);
  return rows.map(({ email }) => email).sort();
}

/** Sessions with a message of the contact and none of the AI. */
const unanswered = (cluster: Cluster, org: FaultOrg) =>
  countOf(
    cluster,
    sql`select count(*) as count from (
      select from session_events where org_id = ${org.id}::uuid group by session_id
      having bool_or(sender = 'contact') and not coalesce(bool_or(sender = 'ai' and type = 'message'), false)
    ) as session`,
  );

/** How many sessions were written in, and the most and least answers of the AI in one. */
async function answersOf({ db }: Cluster, org: FaultOrg) {
  const { rows } = await sql<{ sessions: number; most: number; least: number }>`
    select count(*) as sessions, max(said) as most, min(said) as least from (
      select count(*) filter (where sender = 'ai' and type = 'message') as said from session_events
      where org_id = ${org.id}::uuid group by session_id having bool_or(sender = 'contact')
    ) as session`.execute(db);
  return rows[0];
}
