import type { Refusal } from '../../support/fakes/mail-sink.ts';
import { emailStep, inDomain } from '../../support/sequences.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const SECOND = 1 / 60;

describe('sending a sequence', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const create = async (input: object): Promise<string> => {
    const { status, body } = await stack.org.post('/sequences', { filter: null, ...input });
    expect(status).toBe(201);
    return body.id;
  };
  const save = async (email: string, more: object = {}) => {
    const { status, body } = await stack.org.post('/contacts', { contact: { email, ...more } });
    expect(status).toBe(201);
    return body.id as string;
  };
  const stats = async (id: string) => (await stack.org.get(`/sequences/${id}/stats`)).body;
  const subjects = (email: string) => stack.sink.to(email).map((mail) => mail.subject);
  const statusOf = async (id: string) => (await stack.org.get(`/sequences/${id}`)).body.status;

  it('enrolls a new matching contact, sends each step once and after its delay, and ignores other contacts', async () => {
    const id = await create({
      filter: inDomain('two.example'),
      steps: [emailStep('One'), emailStep('Two', 2 * SECOND)],
    });
    await save('ann@two.example');
    await save('bob@elsewhere.example');
    await eventually('the first mail', () => subjects('ann@two.example').length === 1);
    const firstAt = Date.now();
    await eventually('the second mail', () => subjects('ann@two.example').length === 2);
    expect(Date.now() - firstAt).toBeGreaterThan(1_500);
    expect(subjects('ann@two.example')).toEqual(['One', 'Two']);
    expect(subjects('bob@elsewhere.example')).toEqual([]);
    const done = await eventually('the end', async () => (await stats(id)).enrollments.complete === 1 && stats(id));
    expect(done.steps.map(({ sent, due }: { sent: number; due: number }) => [sent, due])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  it('enrolls a contact newly matching the filter after a change, and none that matched before', async () => {
    const before = await save('cat@three.example', { custom_data: { plan: 'free' } });
    const inside = await save('dan@three.example', { custom_data: { plan: 'pro' } });
    await create({
      filter: { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] },
      steps: [emailStep('Pro')],
    });
    await stack.org.patch(`/contacts/${inside}`, { contact: { name: 'Dan' } });
    await stack.org.patch(`/contacts/${before}`, { contact: { custom_data: { plan: 'pro' } } });
    await eventually('the mail', () => subjects('cat@three.example').length === 1);
    expect(subjects('dan@three.example')).toEqual([]);
  });

  it('runs a one-off sequence once over the contacts that match at its start, and completes', async () => {
    for (const name of ['ann', 'bob', 'cat']) await save(`${name}@once.example`);
    const id = await create({ is_continuous: false, filter: inDomain('once.example'), steps: [emailStep('News')] });
    expect(await statusOf(id)).toBe('pending');
    expect((await stack.org.put(`/sequences/${id}/start`)).status).toBe(200);
    expect((await stack.org.put(`/sequences/${id}/start`)).status).toBe(409);
    await eventually('completion', async () => (await statusOf(id)) === 'complete');
    await save('dan@once.example');
    expect(['ann', 'bob', 'cat', 'dan'].map((name) => subjects(`${name}@once.example`).length)).toEqual([1, 1, 1, 0]);
    expect((await stats(id)).enrollments).toEqual({ active: 0, complete: 3, canceled: 0, exited: 0 });
  });

  it('applies an edit to the steps not yet reached', async () => {
    const id = await create({
      filter: inDomain('edit.example'),
      steps: [emailStep('A'), emailStep('B', 60), emailStep('C', 60)],
    });
    await save('ann@edit.example');
    await eventually('A', () => subjects('ann@edit.example').length === 1);
    const { steps } = (await stack.org.get(`/sequences/${id}`)).body;
    const [a, , c] = steps;
    const changed = await stack.org.patch(`/sequences/${id}`, {
      steps: [a, emailStep('B2', SECOND), { ...c, delay_in_minutes: SECOND }],
    });
    expect(changed.status).toBe(200);
    await eventually('C', () => subjects('ann@edit.example').length === 3);
    expect(subjects('ann@edit.example')).toEqual(['A', 'B2', 'C']);
  });

  it('sends nothing while paused, loses no contact, and continues after resuming', async () => {
    const id = await create({ filter: inDomain('pause.example'), steps: [emailStep('Hello')] });
    expect((await stack.org.put(`/sequences/${id}/pause`)).status).toBe(200);
    await save('ann@pause.example');
    await eventually('the enrollment', async () => (await stats(id)).enrollments.active === 1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(subjects('ann@pause.example')).toEqual([]);
    expect((await stack.org.put(`/sequences/${id}/resume`)).status).toBe(200);
    await eventually('the mail', () => subjects('ann@pause.example').length === 1);
  });

  it('ends permanently once the sequence is canceled', async () => {
    const id = await create({
      filter: inDomain('cancel.example'),
      steps: [emailStep('A'), emailStep('B', 2 * SECOND)],
    });
    await save('ann@cancel.example');
    await eventually('A', () => subjects('ann@cancel.example').length === 1);
    expect((await stack.org.put(`/sequences/${id}/cancel`)).status).toBe(200);
    expect((await stack.org.put(`/sequences/${id}/resume`)).status).toBe(409);
    expect(
      (await stack.org.post(`/sequences/${id}/contacts`, { contacts: [{ email: 'x@cancel.example' }] })).status,
    ).toBe(409);
    await eventually('the end of the run', async () => {
      const { status } = await stack.temporal.workflow.getHandle(`sequence/${id}`).describe();
      return status.name === 'COMPLETED';
    });
    expect((await stats(id)).enrollments).toEqual({ active: 0, complete: 0, canceled: 1, exited: 0 });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(subjects('ann@cancel.example')).toEqual(['A']);
  });

  it('sends the rest of a batch despite one bad address, and suppresses that address', async () => {
    stack.sink.refuse('bad@batch.example', [550, '5.1.1 no such user']);
    stack.sink.refuse('later@batch.example', [451, '4.3.0 try later']);
    const id = await create({ filter: inDomain('batch.example'), steps: [emailStep('Hi')] });
    await stack.org.post(`/sequences/${id}/contacts`, {
      contacts: ['bad', 'ann', 'later', 'bob'].map((name) => ({ email: `${name}@batch.example` })),
    });
    await eventually(
      'the good ones',
      () => stack.sink.to('ann@batch.example').length + stack.sink.to('bob@batch.example').length === 2,
    );
    const [step] = await eventually('the bad one', async () => {
      const { steps } = await stats(id);
      return steps[0].failed === 1 && steps;
    });
    expect(step).toMatchObject({ sent: 2, failed: 1, due: 1 });
    const suppressed = await stack.db
      .selectFrom('suppressions')
      .select(['address', 'reason'])
      .where('org_id', '=', stack.org.id)
      .execute();
    expect(suppressed).toContainEqual({ address: 'bad@batch.example', reason: 'bounced' });
  });

  it('advances contacts waiting for a deleted step, and ends their waiting sends', async () => {
    stack.sink.refuse('ann@taken.example', [451, '4.3.0 try later']);
    const sms = { delay_in_minutes: 0, action: { type: 'send_sms_messages', data: { message: 'Hi' } } };
    const id = await create({ filter: inDomain('taken.example'), steps: [sms, emailStep('Put off')] });
    await save('ann@taken.example', { phone: '+4915112345670' });
    await eventually('the refusal', async () => {
      const [row] = await stack.db
        .selectFrom('enrollments')
        .select('held_until')
        .where('sequence_id', '=', id)
        .execute();
      return row !== undefined && row.held_until !== null;
    });
    const { steps } = (await stack.org.get(`/sequences/${id}`)).body;
    await stack.org.patch(`/sequences/${id}`, { steps: [steps[0]] });
    await eventually('completion', async () => (await stats(id)).enrollments.complete === 1);
    const left = await stack.db
      .selectFrom('deliveries')
      .select(['channel', 'status'])
      .where('sequence_id', '=', id)
      .orderBy('channel')
      .execute();
    expect(left).toEqual([
      { channel: 'email', status: 'canceled' },
      { channel: 'sms', status: expect.stringMatching(/^(accepted|sent|delivered)$/) },
    ]);
  });

  it('ends a send waiting for another try when its contact is deleted, and no other', async () => {
    for (const name of ['run', 'gone']) stack.sink.refuse(`${name}@strand.example`, [451, '4.3.0 try later']);
    const id = await create({ filter: inDomain('strand.example'), steps: [emailStep('Put off')] });
    const gone = await save('gone@strand.example');
    await save('run@strand.example', {});
    const statuses = async () => {
      const rows = await stack.db.selectFrom('deliveries').select('status').where('sequence_id', '=', id).execute();
      return rows.map(({ status }) => status);
    };
    await eventually(
      'both refusals',
      async () => (await statuses()).filter((status) => status === 'queued').length === 2,
    );
    await stack.org.delete(`/contacts/${gone}`);
    const { body } = await stack.org.post(`/sequences/${id}/contacts`, { contacts: [{ email: 'new@strand.example' }] });
    await eventually('the outcomes', async () => (await statuses()).toSorted().join() === 'accepted,canceled,queued');
    expect((await stack.org.put(`/sequences/${body.run_id}/cancel`)).status).toBe(200);
  });

  it('ends a send under way when its contact is deleted, if it would have been tried again', async () => {
    const answer = Promise.withResolvers<Refusal>();
    stack.sink.refuse('gone@under-way.example', answer.promise);
    const id = await create({ filter: inDomain('under-way.example'), steps: [emailStep('Put off')] });
    const gone = await save('gone@under-way.example');
    const deliveries = async () => (await stack.org.get(`/deliveries?sequence_id=${id}`)).body.items;
    await eventually('the attempt', async () => (await deliveries())[0]?.status === 'sending');
    await stack.org.delete(`/contacts/${gone}`);
    await eventually('the event to be handled', async () => {
      const events = stack.db.selectFrom('outbox').select('id').where('type', '=', 'contact-deleted');
      return (await events.execute()).length === 0;
    });
    answer.resolve([451, '4.3.0 try later']);
    const [ended] = await eventually('its end', async () => {
      const items = await deliveries();
      return items[0].status !== 'sending' && items;
    });
    expect(ended).toMatchObject({ status: 'canceled', reason: 'the contact was deleted', attempts: 1 });
  });

  it('sends a transactional mail without a known outcome again after a while, under the same Message-ID', async () => {
    const to = 'ann@receipt.example';
    stack.sink.hangUpAfterNext(to);
    const steps = [emailStep('Receipt', 0, { email_is_transactional: true })];
    const id = await create({ filter: inDomain('receipt.example'), steps });
    await save(to);
    const delivery = async () => {
      const [item] = (await stack.org.get(`/deliveries?sequence_id=${id}`)).body.items;
      return item && (await stack.org.get(`/deliveries/${item.id}`)).body;
    };
    const waiting = await eventually('the lost answer', async () => {
      const shown = await delivery();
      return shown?.answers.length === 1 && shown.status !== 'sending' && shown;
    });
    expect(waiting).toMatchObject({ status: 'queued', attempts: 1, answers: [{ outcome: 'unknown' }] });
    expect(Date.parse(waiting.not_before) - Date.now()).toBeGreaterThan(50_000);

    const held = stack.db.updateTable('enrollments').set({ held_until: new Date() });
    await held.where('sequence_id', '=', id).execute(); // as after the minute
    await stack.org.patch(`/sequences/${id}`, { name: 'Woken' });
    await eventually('the second mail', async () => (await delivery()).status === 'accepted');
    expect(await delivery()).toMatchObject({ attempts: 2, reason: null });
    const [first, second, ...others] = stack.sink.to(to).map(({ messageId }) => messageId);
    expect([first, others]).toEqual([second, []]);
  });

  it('advances contacts with mail under way to a step added meanwhile', async () => {
    const id = await create({ filter: inDomain('mean.example'), steps: [emailStep('One')] });
    const contacts = Array.from({ length: 200 }, (_, i) => ({ email: `c${i}@mean.example` }));
    await stack.org.post(`/sequences/${id}/contacts`, { contacts });
    await eventually('some mails', async () => (await stats(id)).steps[0].sent > 20);
    const { steps } = (await stack.org.get(`/sequences/${id}`)).body;
    const before = (await stats(id)).steps[0].sent;
    await stack.org.patch(`/sequences/${id}`, { steps: [steps[0], emailStep('Two')] });
    await eventually('the end', async () => (await stats(id)).enrollments.complete === 200);
    const after = (await stats(id)).steps;
    expect(after[0].sent).toBe(200);
    expect(before).toBeLessThan(200);
    expect(after[1].sent).toBeGreaterThanOrEqual(200 - before - 40);
  });

  it('sends nothing to contacts blocked by address or domain, with the reason', async () => {
    await stack.org.post('/blocklist/contacts', { email: 'ann@blocked.example' });
    await stack.org.post('/blocklist/domains', { domains: 'spam.example' });
    const domains = ['blocked.example', 'spam.example', 'fine-by-us.example'];
    const id = await create({ filter: inDomain(...domains), steps: [emailStep('Hi')] });
    const contacts = ['ann@blocked.example', 'bob@spam.example', 'cat@fine-by-us.example'].map((email) => ({ email }));
    await stack.org.post(`/sequences/${id}/contacts`, { contacts });
    await eventually('all outcomes', async () => (await stats(id)).enrollments.complete === 3);
    expect([...subjects('ann@blocked.example'), ...subjects('bob@spam.example')]).toEqual([]);
    const rows = await stack.db
      .selectFrom('deliveries')
      .select(['to', 'status', 'reason'])
      .where('org_id', '=', stack.org.id)
      .where('sequence_id', '=', id)
      .where('status', '=', 'skipped')
      .execute();
    expect(rows.map(({ reason }) => reason)).toEqual(['the contact is blocked', 'the contact is blocked']);
  });

  it('matches the forecast made before', async () => {
    await stack.org.post('/blocklist/contacts', { email: 'bob@cast.example' });
    for (const name of ['ann', 'bob', 'cat']) await save(`${name}@cast.example`);
    const id = await create({
      is_continuous: false,
      filter: inDomain('cast.example'),
      steps: [emailStep('A'), emailStep('B', 30)],
    });
    const { steps } = (await stack.org.post(`/sequences/${id}/forecast`)).body;
    expect(
      steps.map(({ recipients, skipped }: { recipients: number; skipped: object[] }) => ({ recipients, skipped })),
    ).toEqual([
      { recipients: 2, skipped: [{ reason: 'the contact is blocked', count: 1 }] },
      { recipients: 2, skipped: [{ reason: 'the contact is blocked', count: 1 }] },
    ]);
    const minutesApart = (Date.parse(steps[1].at) - Date.parse(steps[0].at)) / 60_000;
    expect(minutesApart).toBeCloseTo(30, 1);
    await stack.org.put(`/sequences/${id}/start`);
    const [first] = await eventually('the first step', async () => {
      const now = await stats(id);
      return now.steps[0].sent === 2 && now.steps;
    });
    expect(first).toMatchObject({ sent: 2, skipped: 1 });
  });

  it('shows the operator the sequence, its org, its progress, and the next due time', async () => {
    const id = await create({
      name: 'Visible',
      filter: inDomain('ui.example'),
      steps: [emailStep('A'), emailStep('B', 60)],
    });
    await save('ann@ui.example');
    await eventually('A', () => subjects('ann@ui.example').length === 1);
    const handle = stack.temporal.workflow.getHandle(`sequence/${id}`);
    const details = await eventually('the details', async () => {
      const metadata = (await handle.query('__temporal_workflow_metadata')) as { currentDetails?: string };
      return metadata.currentDetails?.includes('sent 1') && metadata.currentDetails;
    });
    expect(details).toContain('Visible');
    expect(details).toContain(stack.org.id);
    expect(details).toContain('step 1 of 2');
    expect(details).toMatch(/next due: \d{4}-/);
    const { typedSearchAttributes, staticSummary } = await handle.describe();
    expect(await staticSummary()).toBe('Sequence "Visible"');
    expect(typedSearchAttributes.getAll().map(({ value }) => value)).toEqual(
      expect.arrayContaining([stack.org.id, id, 'sequence']),
    );
  });
});
