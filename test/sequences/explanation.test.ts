import { emailStep } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const MS_AN_HOUR = 3_600_000;

interface Step {
  id: string;
  index: number | null;
  is_deleted: boolean;
  status: string;
  due_at: string | null;
  delivery: { id: string; status: string; reason: string | null; attempts: number; sent_at: string | null } | null;
}

describe('the explanation of an enrollment', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  /** Enrolls a contact in a new sequence, and waits until the first step has a delivery. */
  const enroll = async (email: string, steps: object[]) => {
    const { body } = await stack.org.post('/sequences', { filter: null, steps });
    const path = `/sequences/${body.id}`;
    await stack.org.post(`${path}/contacts`, { contacts: [{ email }] });
    const [enrollment] = (await stack.org.get(`${path}/enrollments`)).body.items;
    const explain = async () => (await stack.org.get(`${path}/enrollments/${enrollment.id}`)).body;
    await eventually('the first step', async () => {
      const [first] = (await explain()).steps as Step[];
      return first?.delivery !== null && first?.status !== 'sending';
    });
    return { path, enrollment, explain };
  };
  const outline = ({ steps }: { steps: Step[] }) =>
    steps.map(({ index, status, delivery }) => [index, status, delivery?.status ?? null]);

  it('shows what was done, what is next and when, and what comes later', async () => {
    const steps = [emailStep('One'), emailStep('Two', 60), emailStep('Three', 60)];
    const { path, enrollment, explain } = await enroll('ann@plain.example', steps);
    const explained = await explain();
    expect(explained).toEqual({
      ...(await stack.org.get(`${path}/enrollments`)).body.items[0],
      steps: [
        {
          id: expect.any(String),
          index: 0,
          action_type: 'send_emails',
          is_deleted: false,
          status: 'done',
          delivery: {
            id: expect.any(String),
            status: 'accepted',
            reason: null,
            attempts: 1,
            sent_at: expect.any(String),
          },
          due_at: null,
        },
        expect.objectContaining({ index: 1, status: 'next', delivery: null, due_at: expect.any(String) }),
        expect.objectContaining({ index: 2, status: 'not_reached', delivery: null, due_at: null }),
      ],
    });
    const [one, two] = explained.steps;
    expect(Date.parse(two.due_at) - Date.parse(one.delivery.sent_at)).toBeCloseTo(MS_AN_HOUR, -3);
    expect((await stack.org.get(`/deliveries/${one.delivery.id}`)).body.enrollment_id).toBe(enrollment.id);
  });

  it('shows deleted steps that have a delivery as deleted, and steps added too late as passed', async () => {
    const { path, explain } = await enroll('bob@edited.example', [emailStep('One'), emailStep('Two', 60)]);
    const [one, two] = (await stack.org.get(path)).body.steps;
    await stack.org.patch(path, { steps: [emailStep('Zero'), one, emailStep('Half', 60)] });
    expect(outline(await explain())).toEqual([
      [0, 'passed', null],
      [1, 'done', 'accepted'],
      [2, 'next', null],
    ]);
    expect(JSON.stringify(await explain())).not.toContain(two.id);
    await stack.org.patch(path, { steps: [emailStep('Other', 60)] });
    const explained = await explain();
    expect(outline(explained)).toEqual([
      [null, 'done', 'accepted'],
      [0, 'next', null],
    ]);
    expect(explained.steps.map(({ is_deleted }: Step) => is_deleted)).toEqual([true, false]);
  });

  it('says why a step was not sent, and shows nothing to follow once the enrollment has ended', async () => {
    await stack.org.post('/blocklist/contacts', { email: 'cat@blocked.example' });
    const { path, explain } = await enroll('cat@blocked.example', [emailStep('One')]);
    const explained = await eventually('the end', async () => {
      const now = await explain();
      return now.status === 'complete' && now;
    });
    expect(explained.steps[0]).toMatchObject({
      status: 'done',
      delivery: { status: 'skipped', reason: 'the contact is blocked', attempts: 0, sent_at: null },
    });
    const { steps } = (await stack.org.get(path)).body;
    await stack.org.patch(path, { steps: [...steps, emailStep('Two')] });
    expect(outline(await explain())).toEqual([
      [0, 'done', 'skipped'],
      [1, 'passed', null],
    ]);
  });

  it('shows a temporarily refused step as waiting, with its next try, and the rest as canceled with the sequence', async () => {
    stack.sink.refuse('dan@later.example', [451, '4.3.0 try later']);
    const { path, explain } = await enroll('dan@later.example', [emailStep('One'), emailStep('Two')]);
    const explained = await explain();
    expect(explained.steps[0]).toMatchObject({
      status: 'waiting',
      due_at: explained.held_until,
      delivery: { status: 'queued', reason: expect.stringContaining('try later'), attempts: 1 },
    });
    expect(explained.held_until).toEqual(expect.any(String));
    await stack.org.put(`${path}/cancel`);
    const canceled = await eventually('the end', async () => {
      const now = await explain();
      return now.steps[0].delivery.status === 'canceled' && now;
    });
    expect(canceled.steps[0].delivery.reason).toBe('the sequence was canceled');
    expect([canceled.status, outline(canceled)]).toEqual([
      'canceled',
      [
        [0, 'done', 'canceled'],
        [1, 'canceled', null],
      ],
    ]);
  });

  it('is available only to its own org and under its own sequence', async () => {
    const { path, enrollment } = await enroll('eve@own.example', [emailStep('One')]);
    const { path: elsewhere } = await enroll('eve@own.example', [emailStep('One')]);
    expect((await stack.org.get(`${path}/enrollments/${enrollment.id}`)).status).toBe(200);
    expect((await stack.org.get(`${elsewhere}/enrollments/${enrollment.id}`)).status).toBe(404);
    expect((await stack.other.get(`${path}/enrollments/${enrollment.id}`)).status).toBe(404);
    expect((await stack.org.get(`${path}/enrollments/no-id`)).status).toBe(400);
  });
});
