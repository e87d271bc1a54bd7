import { lockName } from '../../../src/db/locks.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { insertClaim } from '../../../src/outbox/interruptions.ts';
import { connectHubspot } from '../../support/crm.ts';
import { unavailable } from '../../support/fakes/faulty-server.ts';
import { eventOf } from '../../support/fakes/hubspot/webhooks.ts';
import type { startMailSink } from '../../support/fakes/mail-sink.ts';
import { moveBack } from '../../support/lateness.ts';
import { emailStep } from '../../support/sequences.ts';
import type { Answer, TestApi, TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

const MANY_MAILS = 8;
const FAILED_RUNS = 22;
const BREACHED_SESSIONS = 12;
/** A relay parks an event that has ended so many processes. */
const ENDED_PROCESSES = 6;

const mustWork = async (answer: Promise<Answer>): Promise<Answer> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return answer;
};

/** The mail server takes mails, and breaks the connection before it answers. */
export async function loseAnswers({ org }: TestApi, sink: Awaited<ReturnType<typeof startMailSink>>): Promise<void> {
  const recipients = Array.from({ length: MANY_MAILS }, (_, n) => ({ to_email: `lost-${n}@example.com` }));
  for (const { to_email } of recipients) sink.hangUpAfterNext(to_email);
  const mail = { from_email: 'hello@acme.example', fallback_email_subject: 'Hi', fallback_email_body: 'Hi' };
  await mustWork(org.post('/email', { ...mail, recipients }));
}

/** Each run of a workflow fails at a wait without a number. */
export async function failRuns({ org }: TestApi): Promise<void> {
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: '{{trigger.output.body.order}}x' } };
  const { url } = await activate(org, { trigger_type: 'webhook', workflow_blocks: [pause] });
  for (let order = 0; order < FAILED_RUNS; order++) {
    const headers = { 'content-type': 'application/json' };
    const { ok, status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ order }) });
    if (!ok) throw new Error(`The webhook answered ${status}`);
  }
}

/** Nobody replies in the time that a policy sets. The database's times are moved instead of a wait. */
export async function breachSla({ db, createOrg }: TestApi): Promise<void> {
  const org = await createOrg('Slow');
  const { body: policy } = await mustWork(org.post('/sla/policies', { name: 'Gold', first_reply_target_seconds: 60 }));
  await mustWork(org.put(`/sla/policies/${policy.id}/assignment`, {}));
  const ask = (id: string) =>
    mustWork(org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: 'Hi' } }));
  const ids: string[] = [];
  for (let n = 0; n < BREACHED_SESSIONS; n++) {
    const { body: session } = await mustWork(org.post('/chat/sessions', {}));
    await ask(session.id);
    ids.push(session.id);
  }
  for (const id of ids)
    await eventually(
      'the policy',
      async () => (await org.get(`/chat/sessions/${id}/sla`)).body.policy?.id === policy.id,
    );
  for (const id of ids) await moveBack(db, id, 100);
  for (const id of ids) await ask(id); // has the clocks evaluated
}

/** An event of an org ends each process that handles it. */
export async function endProcesses({ db, createOrg }: TestApi): Promise<void> {
  const org = await createOrg('Deadly');
  const events = () =>
    db.selectFrom('outbox').select(['id', 'interruptions']).where('org_id', '=', org.id).where('kind', '=', 'event');
  for (let ended = 1; ended <= ENDED_PROCESSES; ended++) {
    await inTransaction(db, async (trx) => {
      await lockName(trx, `events ${org.id}`); // no relay handles events of the org meanwhile
      if (ended === 1) await mustWork(org.post('/contacts', { contact: { email: 'ann@example.com' } }));
      else await db.updateTable('outbox').set({ available_at: new Date() }).where('org_id', '=', org.id).execute();
      const ids = (await events().execute()).map(({ id }) => id);
      await insertClaim(db, { orgId: org.id, ids, backend: 0 }); // as a process leaves it that ended
    });
    await eventually('the deferral', async () => (await events().executeTakeFirst())?.interruptions === ended);
  }
}

/** The mail server that an org has set must not be reached, so its sequence is paused. */
export async function refuseServer({ other }: TestApi): Promise<void> {
  const settings = { host: '10.0.0.1', port: 25, secure: false };
  await mustWork(other.put('/integrations/email', { provider: 'smtp', settings }));
  const { body } = await mustWork(other.post('/sequences', { filter: null, steps: [emailStep('Hi')] }));
  await mustWork(other.post(`/sequences/${body.id}/contacts`, { contacts: [{ email: 'ann@example.com' }] }));
}

/** A HubSpot that answers 503 once `fail` was called, and then gets messages. */
export async function startFailingCrm(org: TestOrg) {
  let isDown = false;
  const { hubspot, deliver } = await connectHubspot(org, {}, () => (isDown ? unavailable() : undefined));
  const bringMessage = async () => {
    const status = await deliver(eventOf(hubspot.addMessage(hubspot.openThread(), { text: 'Where is my order?' })));
    if (status !== 200) throw new Error(`The webhook answered ${status}`);
  };
  return {
    /** The CRM announces a message, and cannot be asked for it. */
    async failNextMessage() {
      isDown = true;
      await bringMessage();
    },
    /** Waits until another message is between two attempts to read it. */
    async untilRetried() {
      const before = hubspot.requests().length;
      await bringMessage();
      await eventually('a second attempt', () => hubspot.requests().length >= before + 2);
    },
    close: () => hubspot.close(),
  };
}
