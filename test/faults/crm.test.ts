import { setTimeout as sleep } from 'node:timers/promises';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { slow } from '../support/fakes/faulty-server.ts';
import { eventOf } from '../support/fakes/hubspot/webhooks.ts';
import { type CrmAccount, openCrmAccount } from './support/crm-account.ts';
import { randomFaults } from './support/crm-faults.ts';
import { runTraffic, type Traffic, wrongWith } from './support/crm-traffic.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { randomFrom } from './support/random.ts';
import { CRM, CRM_OUTAGE, CRM_SERVERS_AWAY, IS_LONG, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const SEED = 20_261_122;
/** Below the timeout of a call. */
const LATE_MS = 8_000;

/** Tests of several minutes, as each kill waits for heartbeats. */
const inLongTier = IS_LONG ? it : it.skip;

let stack: FaultStack;
const accounts: CrmAccount[] = [];
beforeAll(async () => {
  stack = await startFaultStack({ env: FAKES_ALLOWED });
}, TEST_LIMIT_MS);
afterAll(async () => {
  await Promise.all(accounts.map(({ hubspot }) => hubspot.close()));
  await stack.close();
});

async function newAccount(faultOf?: Parameters<typeof openCrmAccount>[2]): Promise<CrmAccount> {
  const account = await openCrmAccount(stack.db, await stack.newOrg(), faultOf);
  accounts.push(account);
  return account;
}

it(
  'each message is stored once and in order, each reply posted once and one ticket made per session, despite random faults',
  async () => {
    const size = { threads: CRM.threads / CRM.accounts, events: CRM.events / CRM.accounts };
    const runs = await Promise.all(
      Array.from({ length: CRM.accounts }, async (_, nth) => {
        const faults = randomFaults(randomFrom(SEED + nth));
        const account = await newAccount(faults.faultOf);
        return { faults, account, running: runTraffic(account, randomFrom(SEED - nth), size) };
      }),
    );
    for (let kill = 1; kill <= KILLS; kill++) {
      const count = Math.floor((CRM.events * kill) / (KILLS + 2));
      await until(`${count} events were worked off`, async () => (await countWorkedOff()) >= count, TEST_LIMIT_MS);
      await stack.worker.kill();
      await stack.worker.start();
    }
    const traffic = await Promise.all(runs.map(({ running }) => running));
    for (const { account } of runs) await account.untilQuiet(TEST_LIMIT_MS);
    expect(traffic.reduce((sum, { events }) => sum + events, 0)).toBe(CRM.events);
    expect(runs.reduce((sum, { faults }) => sum + faults.count(), 0)).toBeGreaterThan(0);
    const wrong = runs.map(({ account }, nth) => wrongWith(account, traffic[nth] as Traffic));
    expect((await Promise.all(wrong)).flat()).toEqual([]);
  },
  TEST_LIMIT_MS,
);

async function countWorkedOff(): Promise<number> {
  const { count } = await stack.db
    .selectFrom('crm_events')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '!=', 'queued')
    .executeTakeFirstOrThrow();
  return count;
}

const TICKETS = '/crm/v3/objects/tickets';

/** Creates a session without a contact, or with a contact known to HubSpot by e-mail address. */
async function newSession({ org }: CrmAccount, email?: string): Promise<string> {
  const contact = email === undefined ? undefined : (await org.post('/contacts', { contact: { email } })).body;
  const { body } = await org.post('/chat/sessions', { contact_id: contact?.id, channel: { type: 'web' } });
  return body.id;
}

inLongTier(
  'a ticket is made, a reply posted and a ticket closed only once when the worker is killed between effect and response',
  async () => {
    const account = await newAccount();
    const { hubspot, org } = account;
    const threadId = hubspot.openThread();
    const posting = new RegExp(`/threads/${threadId}/messages$`);
    await account.insist([eventOf(hubspot.addMessage(threadId, { text: 'Hello?' }))]);
    const talked = await account.sessionOf(threadId);
    const [known, unknown] = [await newSession(account, `ann@${org.id}.example.com`), await newSession(account)];

    hubspot.next('POST', TICKETS, slow(LATE_MS), slow(LATE_MS));
    hubspot.next('POST', posting, slow(LATE_MS));
    for (const id of [known, unknown]) expect((await org.post(`/chat/sessions/${id}/handoff`, {})).status).toBe(200);
    await org.post(`/chat/sessions/${talked}/send`, { sender: 'agent', message: { type: 'text', text: 'On its way' } });
    await until('all three had their effect', async () => {
      return hubspot.crm.tickets.length === 2 && account.posted(threadId, 'MESSAGE').length === 1;
    });
    await stack.worker.kill();
    await stack.worker.start();
    await account.untilQuiet(TEST_LIMIT_MS);
    const tickets = await Promise.all([known, unknown].map((id) => account.ticketOf(id)));
    expect(hubspot.crm.tickets.map(({ id }) => id).sort()).toEqual(tickets.sort());
    expect(hubspot.requests('POST', TICKETS)).toHaveLength(2);
    expect(account.posted(threadId, 'MESSAGE')).toEqual(['On its way']);
    expect(hubspot.requests('POST', posting)).toHaveLength(1);

    const ticketId = await account.ticketOf(known);
    const path = `${TICKETS}/${ticketId}`;
    hubspot.next('PATCH', path, slow(LATE_MS));
    await org.call('PATCH', `/chat/sessions/${known}`, { status: 'closed_resolved' });
    await until('the ticket was closed', async () => hubspot.requests('PATCH', path).length === 1);
    await stack.worker.kill();
    const looks = hubspot.requests('GET', path).length;
    await stack.worker.start();
    await until('it was looked at again', async () => hubspot.requests('GET', path).length > looks);
    await stack.worker.terminate(); // ends the work in progress
    await stack.worker.start();
    expect(hubspot.requests('PATCH', path)).toHaveLength(1);
    expect(hubspot.ticket(ticketId)?.properties.hs_pipeline_stage).toBe('4');
  },
  TEST_LIMIT_MS,
);

inLongTier.each(CRM_SERVERS_AWAY)(
  'has all that came while %s was away, once and in order',
  async (server, downMs) => {
    const account = await newAccount();
    const running = runTraffic(account, randomFrom(SEED), CRM_OUTAGE);
    await until('some sessions were there', async () => (await account.sessions()).size > 0);
    await stack[server].kill();
    await sleep(downMs);
    await stack[server].start();
    const traffic = await running;
    await account.untilQuiet(TEST_LIMIT_MS);
    expect(await wrongWith(account, traffic)).toEqual([]);
    if (server === 'temporal') expect(traffic.refusals).toBe(0);
  },
  TEST_LIMIT_MS,
);
