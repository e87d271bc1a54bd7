import {
  callStep,
  connectVapi,
  createSequence,
  enroll,
  FAKES_ALLOWED,
  newNumber,
  untilDelivery,
} from '../../support/channels.ts';
import { type FakeVapi, type FakeVapiCall, startFakeVapi } from '../../support/fakes/vapi.ts';
import { emailStep } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate, expectRunsAsDescribed } from '../../support/triggers.ts';

let stack: Stack;
let vapi: FakeVapi;
let org: TestOrg;
beforeAll(async () => {
  vapi = await startFakeVapi();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await vapi.close();
});
beforeEach(async () => {
  org = await stack.createOrg();
});

type Output = { call: Record<string, unknown> };
const runs = (id: string) => expectRunsAsDescribed(stack.db, id);
const settled = () =>
  eventually('the relay', async () => {
    const waiting = await stack.db.selectFrom('outbox').select('id').where('kind', '=', 'event').limit(1).execute();
    return waiting.length === 0;
  });
const untilRuns = (id: string, count: number) =>
  eventually(`${count} runs`, async () => (await runs(id)).length >= count);

describe('a sequence', () => {
  const addresses = (count: number) =>
    Array.from({ length: count }, () => ({ email: `${crypto.randomUUID()}@example.com` }));

  it('starts one run for each contact that completes its last step', async () => {
    const { id } = await activate(org, { trigger_type: 'sequence-completed' });
    const theirs = await activate(stack.other, { trigger_type: 'sequence-completed' });
    const sequence = await org.post('/sequences', { name: 'S', filter: null, steps: [emailStep('1'), emailStep('2')] });
    await org.post(`/sequences/${sequence.body.id}/contacts`, { contacts: addresses(40) });
    await untilRuns(id, 40);
    await settled();
    const all = await runs(id);
    expect(new Set(all.map(({ trigger_output: { contact } }) => contact.email)).size).toBe(40);
    expect(all).toHaveLength(40);
    const [{ trigger_output: output }] = all as [(typeof all)[0]];
    expect(output.sequence).toEqual((await org.get(`/sequences/${sequence.body.id}`)).body);
    expect(output.contact).toEqual((await org.get(`/contacts/${output.contact.id}`)).body);
    expect(await runs(theirs.id)).toEqual([]);
  });

  it('also completes if the last step is skipped or removed by an edit', async () => {
    const { id } = await activate(org, { trigger_type: 'sequence-completed' });
    const steps = [emailStep('1'), emailStep('2', 60)];
    const made = await org.post('/sequences', { name: 'S', filter: null, steps });
    const path = `/sequences/${made.body.id}`;
    await org.post(`${path}/contacts`, { contacts: addresses(2) });
    await eventually(
      'the first step',
      async () =>
        (await org.get(`/deliveries`)).body.items.filter((d: { status: string }) => d.status === 'accepted').length ===
        2,
    );
    const [first] = (await org.get(path)).body.steps;
    expect((await org.patch(path, { steps: [first] })).status).toBe(200);
    await untilRuns(id, 2);
    const phoneOnly = { contacts: [{ phone_number: newNumber() }] };
    await org.post(`${path}/contacts`, phoneOnly);
    await untilRuns(id, 3);
    await settled();
    expect(await runs(id)).toHaveLength(3);
  });
});

describe('a phone call', () => {
  const TYPES = ['phone-call-started', 'phone-call-finished', 'pre-voice-call-transfer', 'voice-call-transferred'];
  const activateAll = async () => {
    const ids: Record<string, string> = {};
    for (const trigger_type of TYPES) ids[trigger_type] = (await activate(org, { trigger_type })).id;
    return ids;
  };
  const outputs = async (ids: Record<string, string>) => {
    await settled();
    const all = await Promise.all(TYPES.map((type) => runs(ids[type] as string)));
    return all.map((some) => some.map(({ trigger_output }) => trigger_output));
  };

  it('starts one run each when it is answered, transferred and ended, with the provider’s report', async () => {
    const ids = await activateAll();
    await connectVapi(org, vapi);
    const agent = (await org.post('/phone', { name: 'R', type: 'outbound', first_message: 'Good day!' })).body.id;
    const to = newNumber();
    const asked = await org.post('/phone/outbound-call', { phoneAgentId: agent, contact: { phoneNumber: to } });
    await untilDelivery(org, asked.body.call_id, 'accepted');
    const made = vapi.calls.find(({ params }) => params.customer.number === to) as FakeVapiCall;

    expect(await vapi.callback(made, 'ringing')).toBe(200);
    expect(await outputs(ids)).toEqual([[], [], [], []]);
    for (const status of ['in-progress', 'in-progress', 'forwarding', 'forwarding', 'ended'])
      expect(await vapi.callback(made, status)).toBe(200);
    expect(await vapi.report(made, 'assistant-forwarded-call', { isForged: true })).toBe(403);
    expect((await outputs(ids)).map(({ length }) => length)).toEqual([1, 0, 1, 0]);
    for (let n = 0; n < 2; n++) expect(await vapi.report(made, 'assistant-forwarded-call')).toBe(200);

    const all = (await outputs(ids)) as Output[][];
    expect(all.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    const [started, finished] = all.flat() as [Output, Output];
    const session = (await org.get(`/chat/sessions/${asked.body.session_id}`)).body;
    const contact = (await org.get(`/contacts/${session.contact.id}`)).body;
    for (const output of all.flat())
      expect(output).toMatchObject({
        session: { id: session.id },
        contact,
        call: { id: made.id, provider: 'vapi', to },
      });
    expect(started.call.status).toBe('in-progress');
    expect(finished.call).toMatchObject({ ended_reason: 'assistant-forwarded-call', transcript: 'AI: Hello?' });
  });

  it('that has ended starts its runs with what can be stored of its transcript, which says if it was cut', async () => {
    const ids = await activateAll();
    await connectVapi(org, vapi);
    const agent = (await org.post('/phone', { name: 'R', type: 'outbound', first_message: 'Good day!' })).body.id;
    const reported = async (transcript: string) => {
      const to = newNumber();
      const asked = await org.post('/phone/outbound-call', { phoneAgentId: agent, contact: { phoneNumber: to } });
      await untilDelivery(org, asked.body.call_id, 'accepted');
      const made = vapi.calls.find(({ params }) => params.customer.number === to) as FakeVapiCall;
      expect(await vapi.report(made, 'customer-ended-call', { transcript })).toBe(200);
      await untilDelivery(org, asked.body.call_id, 'delivered');
      const [, finished] = (await outputs(ids)) as Output[][];
      return finished?.find(({ call }) => call.to === to)?.call;
    };
    expect(await reported('AI: He\0llo\ud83d?')).toMatchObject({
      transcript: 'AI: Hello\ufffd?',
      transcript_truncated: false,
    });
    const most = 'x'.repeat(49_999);
    expect(await reported(`${most}😀`)).toMatchObject({ transcript: most, transcript_truncated: true });
    expect(await reported(`${most}y`)).toMatchObject({ transcript: `${most}y`, transcript_truncated: false });
  });

  it('by a workflow that its end starts continues the chain of runs', async () => {
    await connectVapi(org, vapi);
    const phoneAgentId = (await org.post('/phone', { name: 'R', type: 'outbound', first_message: 'Good day!' })).body
      .id;
    const to = newNumber();
    const input = { phoneAgentId, contact: { phoneNumber: to } };
    const again = { $kind: 'Action', id: 'again', type: 'make-phone-call', name: 'Again', input };
    const { id } = await activate(org, { trigger_type: 'phone-call-finished', workflow_blocks: [again] });
    await org.post('/phone/outbound-call', input);
    for (const n of [0, 1]) {
      const made = await eventually(
        'the call',
        () => vapi.calls.filter(({ params }) => params.customer.number === to)[n],
      );
      expect(await vapi.report(made, 'customer-ended-call')).toBe(200);
    }
    await untilRuns(id, 2);
    await org.post(`/workflows/${id}/deactivate`, {});
    expect((await runs(id)).slice(0, 2).map(({ depth }) => depth)).toEqual([0, 1]);
  });

  it('made by a sequence has a session once somebody has answered', async () => {
    const ids = await activateAll();
    await connectVapi(org, vapi);
    const agent = (await org.post('/phone', { name: 'R', type: 'outbound', first_message: 'Good day!' })).body.id;
    const to = newNumber();
    await enroll(org, await createSequence(org, [callStep(agent)]), to);
    const made = await eventually('the call', () => vapi.calls.find(({ params }) => params.customer.number === to));
    await vapi.callback(made, 'in-progress');
    await untilRuns(ids['phone-call-started'] as string, 1);
    const [output] = (await outputs(ids)).flat();
    expect(output).toMatchObject({
      session: { channel: { type: 'phone_voice' }, contact: { phone_number: to } },
      contact: { phone_number: to },
    });
  });
});
