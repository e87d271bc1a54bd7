import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUESTION } from '../../ai/answering-org.ts';
import { addressesOf, type FaultOrg } from '../../faults/support/fault-org.ts';
import type { Answer } from '../../faults/support/http.ts';
import { mailOf } from '../../support/mails.ts';

export interface SoakTargets {
  org: FaultOrg;
  /** The path of a workflow's webhook. */
  hook: string;
  /** Another org, which gets mail at the address. */
  desk: FaultOrg;
  inbox: string;
}

/** What was answered with 2xx. */
export interface Accepted {
  contacts: string[];
  sessions: string[];
  snoozed: string[];
  orders: string[];
  /** Who wrote the mails. */
  writers: string[];
  /** Other final answers. */
  refused: string[];
}

/** Longer than a request is tried again: a snooze that has ended is refused. */
const SNOOZE_MS = 150_000;
const SNOOZED_SHARE = 4;

/** Adds contacts, asks questions, snoozes sessions, posts orders and delivers mails, one of each kind every `paceMs` at most. */
export function startSoakLoad({ org, hook, desk, inbox }: SoakTargets, paceMs: number) {
  const accepted: Accepted = { contacts: [], sessions: [], snoozed: [], orders: [], writers: [], refused: [] };
  let isOver = false;
  const emails = addressesOf(org, 100_000);
  const taken = (path: string, answer: Answer): Answer | undefined => {
    if (answer.status < 300) return answer;
    accepted.refused.push(`${path} ${answer.status} ${JSON.stringify(answer.body)}`);
    return undefined;
  };
  const send = async (path: string, body: object) => taken(path, await org.post(path, body));
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
    async () => {
      const writer = `${randomUUID()}@example.com`;
      const raw = mailOf({ From: writer, To: inbox, Subject: 'Where is my parcel?' }, QUESTION);
      const path = `/email/inbound?to=${inbox}`;
      if (taken(path, await desk.deliver(path, raw))) accepted.writers.push(writer);
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
