import { sql } from 'kysely';
import { bounceAddress, createMailTokens, messageIdOf } from '../../src/deliveries/inbound/mail-tokens.ts';
import { repair } from '../../src/repair/repair.ts';
import { connectHubspot } from '../support/crm.ts';
import { slow } from '../support/fakes/faulty-server.ts';
import { POSTFIX_NO_SUCH_USER, postfixReport } from '../support/mails.ts';
import { handOver } from '../support/smtp.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate } from '../support/triggers.ts';

const DOMAIN = 'in.acme.example';

let stack: Stack;
beforeAll(async () => {
  const mail = { HOST: '127.0.0.1', INBOUND_DOMAIN: DOMAIN, INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' };
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', ...mail } });
});
afterAll(() => stack.close());

const handleOf = (workflowId: string) => stack.temporal.workflow.getHandle(workflowId);
const stateOf = async (workflowId: string) =>
  (
    await handleOf(workflowId)
      .describe()
      .catch(() => undefined)
  )?.status.name ?? 'ABSENT';
const untilState = (workflowId: string, state: string) =>
  eventually(`${workflowId} to be ${state}`, async () => (await stateOf(workflowId)) === state);

/** Removes a workflow from Temporal, as a restore from a backup does. */
async function lose(workflowId: string): Promise<void> {
  await stack.temporal.workflowService.deleteWorkflowExecution({
    namespace: stack.config.TEMPORAL_NAMESPACE,
    workflowExecution: { workflowId },
  });
  await untilState(workflowId, 'ABSENT');
}

async function terminate(workflowId: string): Promise<void> {
  await handleOf(workflowId).terminate();
  await untilState(workflowId, 'TERMINATED');
}

const mend = async () =>
  (await repair(stack.db, stack.temporal, { isDryRun: false })).map(({ kind, temporal, mended }) => ({
    kind,
    temporal,
    mended,
  }));

/** Compares until all of these were mended: a command may still stand in the outbox. */
async function untilMended(...expected: Awaited<ReturnType<typeof mend>>): Promise<void> {
  const seen: unknown[] = [];
  await eventually('all to be mended', async () => seen.push(...(await mend())) >= expected.length);
  expect(seen).toHaveLength(expected.length);
  expect(seen).toEqual(expect.arrayContaining(expected));
}

/** Requests an e-mail to be sent in an hour. */
async function delayedEmail(to: string) {
  const { body } = await stack.org.post('/email', {
    from_email: 'hello@acme.example',
    recipients: [{ to_email: to }],
    fallback_email_subject: 'Hi',
    fallback_email_body: 'Hello',
    delay_in_minutes: 60,
  });
  const id: string = body.data[0].id;
  const { email_request_id } = await stack.db
    .selectFrom('deliveries')
    .select('email_request_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const workflowId = `email/${email_request_id}`;
  await untilState(workflowId, 'RUNNING');
  return { id, requestId: email_request_id as string, workflowId };
}
const deliveryOf = async (id: string) => (await stack.org.get(`/deliveries/${id}`)).body;
const statusOf = (id: string, status: string) =>
  eventually(`a delivery that is ${status}`, async () => (await deliveryOf(id)).status === status);

it('an e-mail whose workflow Temporal has lost is sent once at its time, and a terminated one is canceled', async () => {
  const [lost, stopped, kept] = await Promise.all(
    ['lost@example.com', 'stopped@example.com', 'kept@example.com'].map(delayedEmail),
  );
  await Promise.all([lose(lost?.workflowId ?? ''), terminate(stopped?.workflowId ?? '')]);
  await sql`update email_requests set due_at = now() where id = ${lost?.requestId}`.execute(stack.db);
  await untilMended(
    { kind: 'message-request', temporal: 'absent', mended: 'resumed' },
    { kind: 'message-request', temporal: 'stopped', mended: 'canceled' },
  );
  await statusOf(lost?.id ?? '', 'accepted');
  expect(stack.sink.to('lost@example.com')).toHaveLength(1);
  expect(await deliveryOf(stopped?.id ?? '')).toMatchObject({ status: 'canceled', reason: 'Stopped in Temporal' });
  expect(await deliveryOf(kept?.id ?? '')).toMatchObject({ status: 'queued' });
  expect(await mend()).toEqual([]);
});

it('an e-mail that was sent after the backup of the database is of an unknown outcome and not sent again', async () => {
  const email = await delayedEmail('once@example.com');
  await lose(email.workflowId);
  await sql`update email_requests set due_at = now() where id = ${email.requestId}`.execute(stack.db);
  await mend();
  await untilState(email.workflowId, 'COMPLETED');
  await sql`update deliveries set status = 'queued', sent_at = null where id = ${email.id}`.execute(stack.db);
  await untilMended({ kind: 'message-request', temporal: 'ended', mended: 'unknown' });
  expect(await deliveryOf(email.id)).toMatchObject({
    status: 'unknown',
    reason: expect.stringContaining('may have been sent'),
  });
  expect(stack.sink.to('once@example.com')).toHaveLength(1);
});

it('an inbound e-mail whose workflow Temporal has lost is processed', async () => {
  const { body } = await stack.org.post('/email', {
    from_email: 'hello@acme.example',
    recipients: [{ to_email: 'gone@example.com' }],
    fallback_email_subject: 'Hi',
    fallback_email_body: 'Hello',
  });
  const deliveryId: string = body.data[0].id;
  await statusOf(deliveryId, 'accepted');
  const token = createMailTokens(stack.config.signingSecrets).tokenOf({ orgId: stack.org.id, deliveryId });
  const to = bounceAddress(token, DOMAIN);
  const parts = { to, recipient: 'gone@example.com', messageId: messageIdOf(token, 'acme.example') };
  await handOver(stack.inboundPort, { from: '', to, raw: postfixReport(parts, POSTFIX_NO_SUCH_USER) });
  await statusOf(deliveryId, 'bounced');
  const { id } = await stack.db
    .selectFrom('inbound_emails')
    .select('id')
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirstOrThrow();
  await untilState(`inbound-email/${id}`, 'COMPLETED');
  await lose(`inbound-email/${id}`);
  await sql`update inbound_emails set processed_at = null, result = null where id = ${id}`.execute(stack.db);
  await sql`update deliveries set status = 'accepted' where id = ${deliveryId}`.execute(stack.db);
  await untilMended({ kind: 'inbound-email', temporal: 'absent', mended: 'resumed' });
  await statusOf(deliveryId, 'bounced');
});

it('a message whose files nobody fetches is added to its session', async () => {
  await sql`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", body, files)
    values (${stack.org.id}, gen_random_uuid(), 'sms', 'twilio', 'MM1', '+14155550177', '+15005550006', 'Look',
      '[{"kind": "image", "source": "https://api.twilio.com/1", "name": null}]')
  `.execute(stack.db);
  await untilMended({ kind: 'inbound-files', temporal: 'absent', mended: 'resumed' });
  await eventually('the message', async () => {
    const { items } = (await stack.org.get('/chat/sessions?channel_type=sms')).body;
    return items.length === 1;
  });
});

it('a handoff that Temporal has lost continues without a second ticket, and a terminated one can be retried', async () => {
  const crm = await connectHubspot(stack.org);
  try {
    await stack.org.patch('/org/settings', { handoff_target: 'crm' });
    const handOff = async () => {
      const contact = await stack.org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } });
      const session = { contact_id: contact.body.id, channel: { type: 'web' } };
      const { id } = (await stack.org.post('/chat/sessions', session)).body;
      await stack.org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
      return id as string;
    };
    const handoffOf = async (id: string) => (await stack.org.get(`/chat/sessions/${id}`)).body.handoff;
    const untilDone = (id: string) => eventually('the handoff', async () => (await handoffOf(id))?.state === 'done');
    const lost = await handOff();
    await untilDone(lost);
    await untilState(`handoff/${lost}/1`, 'COMPLETED');
    await lose(`handoff/${lost}/1`);
    await sql`update crm_handoff_parts set state = 'running', is_ambiguous = true where session_id = ${lost} and part = 'ticket'`.execute(
      stack.db,
    );

    crm.hubspot.next('POST', '/crm/v3/objects/tickets', slow(4_000));
    const stopped = await handOff();
    await eventually('a ticket without an answer', () => crm.hubspot.crm.tickets.length === 2);
    await terminate(`handoff/${stopped}/1`);
    await untilMended(
      { kind: 'handoff', temporal: 'absent', mended: 'resumed' },
      { kind: 'handoff', temporal: 'stopped', mended: 'failed' },
    );
    const failed = (await handoffOf(stopped)).parts.find(({ part }: { part: string }) => part === 'ticket');
    expect(failed).toMatchObject({ state: 'failed', error: 'Stopped in Temporal: retry it to continue' });
    expect((await stack.org.post(`/chat/sessions/${stopped}/handoff/retry`, {})).status).toBe(200);
    await Promise.all([untilDone(stopped), untilState(`handoff/${lost}/1`, 'COMPLETED')]);
    expect(crm.hubspot.crm.tickets).toHaveLength(2);
  } finally {
    await crm.hubspot.close();
    await stack.org.patch('/org/settings', { handoff_target: null });
  }
});

it('a handoff that waits for its target begins although its workflow was terminated or lost', async () => {
  const org = await stack.createOrg();
  await org.patch('/org/settings', { handoff_target: 'crm' });
  const waiting = async () => {
    const { id } = (await org.post('/chat/sessions', {})).body;
    await org.post(`/chat/sessions/${id}/handoff`, {});
    await untilState(`handoff/${id}/1`, 'RUNNING');
    return id as string;
  };
  const [stopped, lost] = [await waiting(), await waiting()];
  await Promise.all([terminate(`handoff/${stopped}/1`), lose(`handoff/${lost}/1`)]);
  expect(await mend()).toEqual([]);
  await sql`
    update sessions set handoff = handoff || jsonb_build_object('at', now() - interval '11 minutes') where handoff->>'state' = 'pending'
  `.execute(stack.db);
  await untilMended(
    { kind: 'handoff', temporal: 'stopped', mended: 'resumed' },
    { kind: 'handoff', temporal: 'absent', mended: 'resumed' },
  );
  for (const id of [stopped, lost]) await untilState(`handoff/${id}/1`, 'RUNNING');
  await org.patch('/org/settings', { handoff_target: 'none' });
  for (const id of [stopped, lost]) await untilState(`handoff/${id}/1`, 'COMPLETED');
});

it('a handoff that is held goes on after its workflow was terminated', async () => {
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
  await activate(stack.org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause] });
  const { id: held } = (await stack.org.post('/chat/sessions', {})).body;
  await stack.org.post(`/chat/sessions/${held}/handoff`, {});
  const { id: holdId } = await eventually('the hold', async () =>
    stack.db.selectFrom('handoff_holds').select('id').where('session_id', '=', held).executeTakeFirst(),
  );
  await untilState(`handoff-hold/${held}/${holdId}`, 'RUNNING');
  await terminate(`handoff-hold/${held}/${holdId}`);
  await sql`update automation_runs set status = 'completed', run_ended_at = now() where handoff_hold_id = ${holdId}`.execute(
    stack.db,
  );

  await untilMended({ kind: 'handoff-hold', temporal: 'stopped', mended: 'resumed' });
  await eventually('the release', async () => {
    const left = await stack.db.selectFrom('handoff_holds').select('id').where('session_id', '=', held).execute();
    return left.length === 0;
  });
});

it('a handoff that is held begins after its hold, also if it is reconciled or its target changes meanwhile', async () => {
  const org = await stack.createOrg();
  await org.patch('/org/settings', { handoff_target: 'crm' });
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
  await activate(org, { trigger_type: 'pre-ticket-handoff', workflow_blocks: [pause] });
  const { id } = (await org.post('/chat/sessions', {})).body;
  await org.post(`/chat/sessions/${id}/handoff`, {});
  const hold = await eventually('the hold', async () =>
    stack.db.selectFrom('handoff_holds').select('id').where('session_id', '=', id).executeTakeFirst(),
  );
  const holdId = `handoff-hold/${id}/${hold.id}`;
  await untilState(holdId, 'RUNNING');
  await sql`update sessions set handoff = handoff || jsonb_build_object('at', now() - interval '11 minutes') where id = ${id}`.execute(
    stack.db,
  );
  expect(await mend()).toEqual([]);
  await org.patch('/org/settings', { handoff_target: 'none' });
  await eventually('an empty outbox', async () => {
    const left = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
    return left.length === 0;
  });
  expect(await stateOf(`handoff/${id}/1`)).toBe('ABSENT');

  await sql`update automation_runs set status = 'completed', run_ended_at = now() where handoff_hold_id = ${hold.id}`.execute(
    stack.db,
  );
  await handleOf(holdId).signal('wake');
  await untilState(`handoff/${id}/1`, 'COMPLETED');
});
