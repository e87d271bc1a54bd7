import { setTimeout as sleep } from 'node:timers/promises';
import {
  EMAIL_CHANNEL,
  type FakeMessage,
  type FakeParty,
  type NewMessage,
} from '../../support/fakes/hubspot/threads.ts';
import { assignmentOf, eventOf } from '../../support/fakes/hubspot/webhooks.ts';
import type { CrmAccount, Line } from './crm-account.ts';
import type { Random } from './random.ts';

const WAVES = 6;
const MOST_A_BATCH = 100;
const SENDERS = 3;
/** Share of events delivered with their wave. The rest is delivered with the next one. */
const DELIVERED_SHARE = 0.8;
const SAID_IN_A_THREAD = 4;
const MOST_PAUSE_MS = 400;
const AGENT: FakeParty = { actorId: 'A-5', name: 'Bea Agent' };

/** A thread and its planned events, in addition to messages of its customer and agents. */
interface Plan {
  id: string;
  customer: NewMessage;
  /** Through our API: messages of agents, and a handoff. */
  isTalkedIn: boolean;
  isHandedOff: boolean;
  isAssigned: boolean;
}

/** A record of the traffic. */
export interface Traffic {
  threads: Plan[];
  events: number;
  batches: number;
  /** Batches not accepted at first. */
  refusals: number;
  /** Messages through our API in each thread, in order. */
  said: Map<string, string[]>;
  /** The sessions of threads with a handoff. */
  handedOff: Map<string, string>;
}

/**
 * Simulates customers and agents writing in threads. Events arrive twice, shuffled, in batches of 1 to 100, many of
 * them late. Meanwhile agents write in some of the sessions through our API, and hand some off. Resolves when all
 * events are accepted.
 */
export async function runTraffic(
  account: CrmAccount,
  random: Random,
  size: { threads: number; events: number },
): Promise<Traffic> {
  const threads = Array.from({ length: size.threads }, (_, nth) => plan(account, nth));
  const traffic: Traffic = { threads, events: 0, batches: 0, refusals: 0, said: new Map(), handedOff: new Map() };
  const first = feed(account, random, traffic, size.events);
  const others = threads.flatMap((thread) => [
    ...(thread.isTalkedIn ? [talk(account, random, traffic, thread.id)] : []),
    ...(thread.isHandedOff ? [handOff(account, random, traffic, thread.id)] : []),
  ]);
  await Promise.all([first, ...others]);
  return traffic;
}

function plan({ hubspot, org }: CrmAccount, nth: number): Plan {
  const value = `visitor-${nth}@${org.id}.example.com`;
  const isEmail = nth % 8 === 3;
  const actorId = isEmail ? `E-${nth}` : `V-${nth}`;
  const sender = { actorId, name: `Visitor ${nth}`, deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value } };
  return {
    id: hubspot.openThread(),
    customer: { createdBy: actorId, senders: [sender], ...(isEmail ? { channelId: EMAIL_CHANNEL } : {}) },
    isTalkedIn: nth % 3 === 0,
    isHandedOff: nth % 5 === 0,
    isAssigned: nth % 10 === 1,
  };
}

async function feed(account: CrmAccount, random: Random, traffic: Traffic, events: number): Promise<void> {
  const { threads } = traffic;
  let pool: unknown[] = [];
  let latest = 0;
  const tell = (event: unknown) => {
    pool.push(event, event);
    traffic.events++;
  };
  for (let wave = 1; wave <= WAVES; wave++) {
    for (let made = traffic.events; made < (events * wave) / WAVES; made++) {
      const nth = made < threads.length ? made : Math.floor(random() * threads.length);
      const thread = threads[nth] as Plan;
      latest = Math.max(Date.now(), latest + 1); // no two are written in the same millisecond
      if (made % 20 === 19 && thread.isAssigned) tell(assignmentOf(thread.id, 'A-5'));
      else tell(eventOf(write(account, random, thread, { serial: made, at: latest })));
    }
    const shuffled = shuffle(random, pool);
    const now = wave === WAVES ? shuffled.length : Math.ceil(shuffled.length * DELIVERED_SHARE);
    pool = shuffled.slice(now);
    await deliverAll(account, random, traffic, shuffled.slice(0, now));
  }
}

/** Writes a message in a thread. The first one comes from the customer: before it, no session for notes exists. */
function write(
  { hubspot }: CrmAccount,
  random: Random,
  { id, customer }: Plan,
  { serial, at }: { serial: number; at: number },
): FakeMessage {
  const add = (message: NewMessage) => hubspot.addMessage(id, { ...message, createdAt: new Date(at).toISOString() });
  const isFirst = hubspot.threads.get(id)?.length === 0;
  const chance = isFirst ? 1 : random();
  const text = `${serial} in ${id}`;
  if (chance < 0.05) return add({ ...byAgent, senders: [{ actorId: 'B-3' }], text: `bot ${text}` });
  if (chance < 0.15) return add({ ...byAgent, type: 'COMMENT', text: `comment ${text}` });
  if (chance < 0.35) return add({ ...byAgent, text });
  return add({ ...customer, text });
}

const byAgent: NewMessage = { createdBy: 'A-5', direction: 'OUTGOING', senders: [AGENT] };

async function deliverAll(account: CrmAccount, random: Random, traffic: Traffic, events: unknown[]): Promise<void> {
  const waiting = [...events];
  const send = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 1 + Math.floor(random() * MOST_A_BATCH));
      traffic.batches++;
      traffic.refusals += await account.insist(batch);
      await sleep(random() * MOST_PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

/** Sends messages one after the other, each of them twice. */
async function talk(account: CrmAccount, random: Random, { said }: Traffic, threadId: string): Promise<void> {
  const id = await account.sessionOf(threadId, WAIT_LIMIT_MS);
  const texts: string[] = [];
  said.set(threadId, texts);
  for (let n = 0; n < SAID_IN_A_THREAD; n++) {
    await sleep(random() * MOST_PAUSE_MS * 4);
    const text = `said ${n >> 1} in ${threadId}`;
    const { status } = await account.org.post(`/chat/sessions/${id}/send`, {
      sender: 'agent',
      agent: { id: 1, name: 'Cy' },
      message: { type: 'text', text },
    });
    if (status !== 201) throw new Error(`A message was answered ${status}`);
    texts.push(text);
  }
}

async function handOff(account: CrmAccount, random: Random, { handedOff }: Traffic, threadId: string): Promise<void> {
  const id = await account.sessionOf(threadId, WAIT_LIMIT_MS);
  await sleep(random() * MOST_PAUSE_MS * 4);
  const { status } = await account.org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
  if (status !== 200) throw new Error(`A handoff was answered ${status}`);
  handedOff.set(threadId, id);
}

const WAIT_LIMIT_MS = 300_000;

const isSaid = ([, text]: Line) => text.startsWith('said ');

/** Describes all differences between our data and HubSpot's once all traffic has ended. */
export async function wrongWith(account: CrmAccount, { threads, said, handedOff }: Traffic): Promise<string[]> {
  const { hubspot } = account;
  const sessions = await account.sessions();
  const wrong: string[] = [];
  const compare = (what: string, is: unknown, shouldBe: unknown) => {
    const [one, other] = [JSON.stringify(is), JSON.stringify(shouldBe)];
    if (one !== other) wrong.push(`${what}: ${one} and not ${other}`);
  };
  compare('sessions', sessions.size, threads.length);
  compare('tickets', hubspot.crm.tickets.length, handedOff.size);
  for (const { id } of threads) {
    const sessionId = sessions.get(id);
    if (sessionId === undefined) continue;
    const lines = await account.linesOf(sessionId);
    const ours = said.get(id) ?? [];
    compare(
      `thread ${id}`,
      lines.filter((line) => !isSaid(line)),
      linesOf(hubspot.threads.get(id) ?? []),
    );
    compare(
      `said in ${id}`,
      lines.filter(isSaid).map(([, text]) => text),
      ours,
    );
    compare(`posted in ${id}`, account.posted(id, 'MESSAGE'), ours);
    compare(`comments in ${id}`, account.posted(id, 'COMMENT').length, handedOff.has(id) ? 1 : 0);
    const tickets = hubspot.crm.tickets.filter(({ properties }) => properties.content?.includes(sessionId));
    compare(`tickets of ${id}`, tickets.length, handedOff.has(id) ? 1 : 0);
  }
  return wrong;
}

/** Returns the expected lines of a thread's session, in the order of writing. */
const linesOf = (messages: FakeMessage[]): Line[] =>
  messages
    .filter(({ client, senders }) => client.clientType !== 'INTEGRATION' && senders[0]?.actorId !== 'B-3')
    .toSorted((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map(({ type, direction, text = '' }) => [
      type === 'COMMENT' ? 'note' : direction === 'OUTGOING' ? 'human_agent' : 'contact',
      text,
    ]);

function shuffle<T>(random: Random, items: T[]): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}
