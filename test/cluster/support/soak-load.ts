import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUESTION } from '../../ai/answering-org.ts';
import { addressesOf, type FaultOrg } from '../../faults/support/fault-org.ts';
import type { Answer } from '../../faults/support/http.ts';

/** What was answered with 2xx. */
export interface Accepted {
  contacts: string[];
  sessions: string[];
  snoozed: string[];
  orders: string[];
  /** Other final answers. */
  refused: string[];
}

/** Longer than a request is tried again: a snooze that has ended is refused. */
const SNOOZE_MS = 150_000;
const SNOOZED_SHARE = 4;

/** Adds contacts, asks questions, snoozes sessions and posts orders, one of each kind every `paceMs` at most. */
export function startSoakLoad(org: FaultOrg, hook: string, paceMs: number) {
  const accepted: Accepted = { contacts: [], sessions: [], snoozed: [], orders: [], refused: [] };
  let isOver = false;
  const emails = addressesOf(org, 100_000);
  const send = async (path: string, body: object): Promise<Answer | undefined> => {
    const answer = await org.post(path, body);
    if (answer.status < 300) return answer;
    accepted.refused.push(`${path} ${answer.status} ${JSON.stringify(answer.body)}`);
    return undefined;
  };
  const acts = [
    async () => {
      const email = emails.shift() as string;
      if (await send('/contacts', { contact: { email } })) accepted.contacts.push(email);
    },
    async () => {
      const id = (await send('/chat/sessions', { channel: { type: 'api' } }))?.body.id;
      if (id === undefined) return;
      const message = { sender: 'contact', message: { type: 'text', text: QUESTION } };
      if (await send(`/chat/sessions/${id}/send`, message)) accepted.sessions.push(id);
    },
    async () => {
      // Nobody writes in it, so its snooze ends by its time.
      const id = (await send('/chat/sessions', { channel: { type: 'api' } }))?.body.id;
      const until = new Date(Date.now() + SNOOZE_MS).toISOString();
      if (id !== undefined && (await send(`/chat/sessions/${id}/snooze`, { until }))) accepted.snoozed.push(id);
      await sleep(paceMs * (SNOOZED_SHARE - 1));
    },
    async () => {
      const order = randomUUID();
      if (await send(hook, { order })) accepted.orders.push(order);
    },
  ];
  const working = acts.map(async (act) => {
    while (!isOver) await Promise.all([act(), sleep(paceMs)]);
  });
  return {
    async stop(): Promise<Accepted> {
      isOver = true;
      await Promise.all(working);
      return accepted;
    },
  };
}
