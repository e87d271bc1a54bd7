import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { addressesOf, type FaultOrg } from '../faults/support/fault-org.ts';
import { type FaultStack, startFaultStack, THIS_CODE } from '../faults/support/fault-stack.ts';
import { type Answer, type Caller, callerOf } from '../faults/support/http.ts';
import { until } from '../faults/support/until.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { type FakeSite, startFakeSite } from '../support/fakes/site.ts';
import { buildEarlierCode } from './earlier-code.ts';
import { startGrowingCrawl } from './support/growing-crawl.ts';

const LIMIT_MS = 400_000;
const PHASE_MS = 8_000;
/** What is asked for at once, again and again, of each kind. */
const PACE_MS = 150;
const RETRY_MS = 100;
const MAX_TRIES = 100;

const earlier = await buildEarlierCode();
if (earlier === undefined) console.log('The rolling upgrade is not tried: the history of the repository is not there');
const whenBuilt = earlier === undefined ? describe.skip : describe;

whenBuilt('a rolling upgrade under load', () => {
  let stack: FaultStack;
  let shop: FakeProvider;
  let site: FakeSite;
  beforeAll(async () => {
    shop = await startFakeProvider();
    site = await startFakeSite();
    stack = await startFaultStack({
      env: { EGRESS_ALLOW: '127.0.0.0/8', DRAIN_SECONDS: '1', STOP_GRACE_SECONDS: '30' },
      ...(earlier && { code: earlier }),
    });
  }, LIMIT_MS);
  afterAll(async () => {
    await stack.close();
    await Promise.all([shop.close(), site.close()]);
    earlier?.remove();
  });

  it(
    'fails no request, loses nothing and doubles nothing while old and new programs work side by side on the new schema',
    async () => {
      const org = await answeringOrg(stack);
      const sequenceId = await org.createSequence([{}, { delayInMinutes: 0 }, { delayInMinutes: 0.2 }]);
      const hook = await activeWorkflow(org, shop);
      const crawl = await startGrowingCrawl(await stack.newOrg(), stack.db, site);
      const load = startLoad(org, [stack.url], hook);
      await sleep(PHASE_MS);
      expect((await crawl.read()).completed_pages).toBeGreaterThan(0);
      await THIS_CODE.migrate(stack.databaseUrl);
      await sleep(PHASE_MS);
      const [api] = await Promise.all([stack.addApi(THIS_CODE), stack.addWorker({}, THIS_CODE)]);
      load.setUrls([stack.url, api.url]);
      await sleep(PHASE_MS * 2);
      load.setUrls([api.url]);
      const stopped = await Promise.all([stack.api.terminate(), stack.worker.terminate()]);
      await sleep(PHASE_MS);
      expect((await crawl.read()).status).toBe('scraping');
      const done = await load.stop();

      expect(stopped.map(({ end }) => end)).toEqual([expect.stringContaining('0'), expect.stringContaining('0')]);
      expect(done.refused).toEqual([]);
      for (const kind of ['contacts', 'sessions', 'runs'] as const) expect(done[kind].length).toBeGreaterThan(50);
      await org.untilComplete(sequenceId, done.contacts.length, LIMIT_MS / 4);
      expect((await org.outcomeOf(sequenceId, done.contacts, 3)).wrong).toEqual([]);
      await until(
        'all runs have ended',
        async () => (await runsOf(stack, org, 'in_progress', 'idle')) === 0,
        LIMIT_MS / 4,
      );
      expect(await runsOf(stack, org, 'completed')).toBe(done.runs.length);
      const called = Map.groupBy(shop.calls, ({ body }) => body);
      expect([...called].filter(([, calls]) => calls.length !== 1).map(([body]) => body)).toEqual([]);
      expect(called.size).toBe(done.runs.length * 2);
      await until('all turns have ended', async () => (await openTurns(stack, org)) === 0, LIMIT_MS / 4);
      expect(await answersOf(stack, org)).toEqual({ sessions: done.sessions.length, most: 1, least: 1 });
      const { pages, ...crawled } = await crawl.finish(LIMIT_MS / 4);
      const counts = { status: 'completed', new_pages: pages, completed_pages: pages, total_pages: pages };
      expect(crawled).toEqual({ counts, lost: [], doubled: [], withoutItem: [] });
      const errors = stack
        .logs()
        .split('\n')
        .filter((line) => /"level":(?:50|60)/.test(line));
      expect(errors).toEqual([]);
    },
    LIMIT_MS,
  );
});

async function answeringOrg(stack: FaultStack): Promise<FaultOrg> {
  const org = await stack.newOrg();
  await org.call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }] });
  await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
  await org.call('PATCH', '/autopilot/settings', { quiet_seconds: { api: 0.3 } });
  await org.call('POST', '/autopilot/settings/publish');
  return org;
}

/** A workflow that calls the shop, waits, and calls it again. Returns the path of its webhook. */
async function activeWorkflow(org: FaultOrg, shop: FakeProvider): Promise<string> {
  const call = (id: string) => ({
    $kind: 'Action',
    id,
    type: 'send-webhook',
    name: 'Call',
    input: { url: shop.url, method: 'POST', body: { order: `{{trigger.output.body.order}} ${id}` } },
  });
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 0.1 } };
  const workflow_blocks = [call('one'), pause, call('two')];
  const { body } = await org.post('/workflows', { name: 'Orders', trigger_type: 'webhook', workflow_blocks });
  const activated = await org.post(`/workflows/${body.workflow_id}/activate`, {});
  if (activated.status !== 200) throw new Error(`The workflow was not activated: ${JSON.stringify(activated.body)}`);
  return new URL(body.webhook_url).pathname;
}

interface Done {
  contacts: string[];
  sessions: string[];
  runs: string[];
  /** Answers other than 2xx. */
  refused: string[];
}

/** Adds contacts, asks questions and posts orders until it is stopped, at all addresses in turn. */
function startLoad(org: FaultOrg, given: string[], hook: string) {
  const done: Done = { contacts: [], sessions: [], runs: [], refused: [] };
  let isOver = false;
  let turn = 0;
  const callers = new Map<string, Caller>();
  let urls = given;
  const callerAt = (url: string): Caller => {
    const caller = callers.get(url) ?? callerOf(url, org.key);
    callers.set(url, caller);
    return caller;
  };
  /** Sends a request under one key, again only if its connection broke, until that attempt has ended too. */
  const send = async (path: string, body: object): Promise<Answer | undefined> => {
    const key = randomUUID();
    const broken: string[] = [];
    for (let tries = 1; ; tries++) {
      const url = urls[turn++ % urls.length] as string;
      try {
        const answer = await callerAt(url).call('POST', path, body, key);
        if (answer.status < 300) return answer;
        const isRunning = broken.length > 0 && answer.body.code === 'request_in_progress';
        if (!isRunning || tries > MAX_TRIES) {
          done.refused.push(`${path} ${answer.status} ${JSON.stringify(answer.body)} after ${broken}`);
          return undefined;
        }
      } catch (error) {
        if (tries > MAX_TRIES) throw error;
        broken.push(String(error));
      }
      await sleep(RETRY_MS);
    }
  };
  const emails = addressesOf(org, 100_000);
  const kinds = [
    async () => {
      const email = emails.shift() as string;
      if (await send('/contacts', { contact: { email } })) done.contacts.push(email);
    },
    async () => {
      const id = (await send('/chat/sessions', { channel: { type: 'api' } }))?.body.id;
      if (id === undefined) return;
      const message = { sender: 'contact', message: { type: 'text', text: QUESTION } };
      if (await send(`/chat/sessions/${id}/send`, message)) done.sessions.push(id);
    },
    async () => {
      const order = randomUUID();
      if (await send(hook, { order })) done.runs.push(order);
    },
  ];
  const working = kinds.map(async (act) => {
    while (!isOver) await Promise.all([act(), sleep(PACE_MS)]);
  });
  return {
    setUrls(next: string[]) {
      urls = next;
    },
    async stop(): Promise<Done> {
      isOver = true;
      await Promise.all(working);
      for (const caller of callers.values()) caller.close();
      return done;
    },
  };
}

async function runsOf({ db }: FaultStack, org: FaultOrg, ...statuses: string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from automation_runs where org_id = ${org.id}::uuid and status = any(${statuses}::text[])`.execute(
    db,
  );
  return rows[0]?.count ?? -1;
}

async function openTurns({ db }: FaultStack, org: FaultOrg): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from session_events as message
    where org_id = ${org.id}::uuid and type = 'message' and sender = 'contact' and not exists (
      select from ai_turns as turn where turn.org_id = message.org_id and message.id = any(turn.answers)
        and turn.ended_at is not null and turn.state <> 'superseded'
    )`.execute(db);
  return rows[0]?.count ?? -1;
}

/** How many sessions there are, and the most and least answers of the AI in one. */
async function answersOf({ db }: FaultStack, org: FaultOrg) {
  const { rows } = await sql<{ sessions: number; most: number; least: number }>`
    select count(*) as sessions, max(said) as most, min(said) as least from (
      select count(*) filter (where sender = 'ai' and type = 'message') as said from session_events
      where org_id = ${org.id}::uuid group by session_id having bool_or(sender = 'contact')
    ) as session`.execute(db);
  return rows[0];
}
