import { emailStep, inDomain, timeIn, zoneAtNoon } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

interface Check {
  check: string;
  state: string;
  says: string;
}

describe('why a contact did not get a message', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const create = async (steps: object[], input: object = {}) =>
    (await stack.org.post('/sequences', { filter: null, steps, ...input })).body.id as string;
  const explain = async (id: string, who: string, org = stack.org) =>
    (await org.get(`/sequences/${id}/explain?${who}`)).body;
  const stateOf = ({ checks }: { checks: Check[] }, name: string) => checks.find(({ check }) => check === name)?.state;
  /** Enrolls a contact, and waits until the first step was sent. */
  const enroll = async (id: string, email: string) => {
    await stack.org.post(`/sequences/${id}/contacts`, { contacts: [{ email }] });
    await eventually('the first message', async () => {
      const { enrollment } = await explain(id, `email=${email}`);
      const delivery = enrollment?.steps[0].delivery;
      return delivery != null && delivery.status !== 'sending';
    });
  };

  it('is a skipped second step, with the reason, the delivery and the steps around it', async () => {
    await stack.org.post('/contacts', { contact: { name: 'Ada', email: 'ada@skip.example' } });
    await stack.org.post('/suppressions', { address: 'ada@skip.example' });
    const steps = [emailStep('One', 0, { email_is_transactional: true }), emailStep('Two'), emailStep('Three', 60)];
    const id = await create(steps);
    await enroll(id, 'ada@skip.example');
    const answer = await eventually('the end of the second step', async () => {
      const now = await explain(id, 'email=ADA@skip.example');
      return now.steps[2].says === 'It comes next' && now;
    });
    expect(answer).toMatchObject({
      contact: { name: 'Ada', email: 'ada@skip.example' },
      verdict: 'stopped',
      summary: 'Step 2: The address was suppressed by hand',
    });
    expect(answer.steps.map(({ says }: { says: string }) => says)).toEqual([
      'Sent',
      'The address was suppressed by hand',
      'It comes next',
    ]);
    expect(stateOf(answer, 'suppression')).toBe('stops');
    expect(stateOf(answer, 'delivery')).toBe('stops');
    expect(stateOf(answer, 'block')).toBe('ok');
    const byId = await explain(id, `contact_id=${answer.contact.id}`);
    expect(byId).toEqual(answer);
  });

  it('is a block, a pause, or only the time, of the step that comes next', async () => {
    const id = await create([emailStep('One'), emailStep('Two', 60)]);
    await enroll(id, 'bo@next.example');
    const waiting = await explain(id, 'email=bo@next.example');
    expect(waiting).toMatchObject({ verdict: 'waiting', summary: 'Step 2: It comes next' });
    expect(Date.parse(waiting.at) - Date.now()).toBeGreaterThan(3_500_000);
    await stack.org.put(`/sequences/${id}/pause`);
    expect(await explain(id, 'email=bo@next.example')).toMatchObject({
      verdict: 'waiting',
      summary: 'Step 2: The sequence is paused: resume it',
    });
    await stack.org.put(`/sequences/${id}/resume`);
    await stack.org.post('/blocklist/contacts', { email: 'bo@next.example' });
    expect(await explain(id, 'email=bo@next.example')).toMatchObject({
      verdict: 'stopped',
      summary: 'Step 2: The contact is blocked',
    });
    await stack.org.put(`/sequences/${id}/cancel`);
    expect(await explain(id, 'email=bo@next.example')).toMatchObject({
      verdict: 'stopped',
      summary: 'Step 2: The enrollment was canceled',
    });
  });

  it('is a gate, with its reason and the time when it is tried again', async () => {
    const timezone = zoneAtNoon();
    await stack.org.patch('/org/settings', { timezone });
    const quiet_hours = { start: timeIn(timezone, -60), end: timeIn(timezone, 60) };
    const id = await create([emailStep('One')], { gates: { quiet_hours } });
    await stack.org.post(`/sequences/${id}/contacts`, { contacts: [{ email: 'cy@gate.example' }] });
    const answer = await eventually('the gate', async () => {
      const now = await explain(id, 'email=cy@gate.example');
      return now.enrollment.held_until !== null && now;
    });
    expect(answer).toMatchObject({ verdict: 'waiting', at: answer.enrollment.held_until });
    expect(answer.summary).toContain('Step 1: A sending limit holds the message back: quiet_hours');
    expect(stateOf(answer, 'gate')).toBe('waits');
  });

  it('is a contact who never was enrolled, or is not known', async () => {
    const { body: contact } = await stack.org.post('/contacts', { contact: { email: 'dee@out.example' } });
    const elsewhere = await create([emailStep('One')], { filter: inDomain('other.example') });
    expect(await explain(elsewhere, 'email=dee@out.example')).toMatchObject({
      verdict: 'not_enrolled',
      summary: "The contact does not match the sequence's filter",
      enrollment: null,
      steps: [],
    });
    const later = await create([emailStep('One')], { is_continuous: false });
    expect(await explain(later, `contact_id=${contact.id}`)).toMatchObject({
      verdict: 'not_enrolled',
      summary: 'The sequence has not been started',
    });
    const before = await create([emailStep('One')]);
    const matched = await explain(before, 'email=dee@out.example');
    expect(matched.verdict).toBe('not_enrolled');
    expect(matched.summary).toContain('matched before');
    expect(await explain(before, 'email=nobody@out.example')).toMatchObject({
      verdict: 'unknown_contact',
      contact: null,
      enrollment: null,
    });
  });

  it('is nothing once all was sent, and only the own org hears it', async () => {
    const id = await create([emailStep('One')]);
    await enroll(id, 'eve@all.example');
    expect(await explain(id, 'email=eve@all.example')).toMatchObject({ verdict: 'sent' });
    const path = `/sequences/${id}/explain`;
    expect((await stack.other.get(`${path}?email=eve@all.example`)).status).toBe(404);
    const { body: own } = await stack.other.post('/sequences', { filter: null, steps: [emailStep('One')] });
    expect(await explain(own.id, 'email=eve@all.example', stack.other)).toMatchObject({ verdict: 'unknown_contact' });
    for (const query of ['', '?email=a@b.example&contact_id=01900000-0000-7000-8000-000000000001', '?email=nobody'])
      expect((await stack.org.get(`${path}${query}`)).status).toBe(400);
  });
});
