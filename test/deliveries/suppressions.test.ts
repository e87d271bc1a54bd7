import { emailStep } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

describe('suppressions', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const suppress = (body: object, org = stack.org) => org.post('/suppressions', body);
  const addresses = async (query: string) => {
    const { body } = await stack.org.get(`/suppressions?${query}`);
    return body.items.map(({ address }: { address: string }) => address);
  };
  const send = async (to_email: string, more: object = {}) => {
    const recipients = [{ to_email, email_subject: 'Hi', email_body: 'Hi', ...more }];
    const { body } = await stack.org.post('/email', { from_email: 'hello@acme.example', recipients });
    return eventually('the outcome', async () => {
      const delivery = (await stack.org.get(`/deliveries/${body.data[0].id}`)).body;
      return !['queued', 'sending'].includes(delivery.status) && delivery;
    });
  };
  const passStep = async (email: string) => {
    const { body } = await stack.org.post('/sequences', { filter: null, steps: [emailStep('News')] });
    await stack.org.post(`/sequences/${body.id}/contacts`, { contacts: [{ email }] });
    return eventually('the step', async () => {
      const [delivery] = (await stack.org.get(`/deliveries?sequence_id=${body.id}`)).body.items;
      return delivery !== undefined && !['queued', 'sending'].includes(delivery.status) && delivery;
    });
  };

  it('added manually block all e-mail except transactional until they are removed', async () => {
    const { status, body } = await suppress({ address: 'Ann@Hand.example' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        channel: 'email',
        address: 'ann@hand.example',
        reason: 'manual',
        created_at: expect.any(String),
      },
    ]);
    expect(await send('ann@hand.example')).toMatchObject({ status: 'suppressed', reason: 'manual' });
    expect(await passStep('ann@hand.example')).toMatchObject({ status: 'suppressed', reason: 'manual' });
    expect(await send('ann@hand.example', { email_is_transactional: true })).toMatchObject({ status: 'accepted' });

    expect((await stack.other.delete(`/suppressions/${body.id}`)).status).toBe(404);
    expect((await stack.org.delete(`/suppressions/${body.id}`)).status).toBe(200);
    expect((await stack.org.delete(`/suppressions/${body.id}`)).status).toBe(404);
    expect(await send('ann@hand.example')).toMatchObject({ status: 'accepted' });
    expect(await passStep('ann@hand.example')).toMatchObject({ status: 'accepted' });
    expect(stack.sink.to('ann@hand.example').map(({ subject }) => subject)).toEqual(['Hi', 'Hi', 'News']);
  });

  it('leave an existing one unchanged: a bounce stays a bounce', async () => {
    stack.sink.refuse('gone@hand.example', [550, '5.1.1 no such user']);
    await send('gone@hand.example');
    const { status, body } = await suppress({ address: 'gone@hand.example' });
    expect([status, body.reason]).toEqual([201, 'bounced']);
    expect((await suppress({ address: 'GONE@hand.example' })).body).toEqual(body);
  });

  it('are found by channel and by address in any spelling, and apply to their own org only', async () => {
    await suppress({ channel: 'sms', address: '+44 20 7946 0958' });
    await suppress({ channel: 'whatsapp', address: '+442079460958' });
    await suppress({ address: 'only@other.example' }, stack.other);
    expect(await addresses('channel=sms')).toEqual(['+442079460958']);
    expect(await addresses('address=%2B44%2020%207946%200958')).toEqual(['+442079460958', '+442079460958']);
    await suppress({ address: 'bob@hand.example' });
    expect(await addresses('address=BOB@hand.example&channel=email')).toEqual(['bob@hand.example']);
    expect(await addresses('address=only@other.example')).toEqual([]);
    const { body } = await stack.org.get('/suppressions?limit=1');
    expect(await addresses(`limit=100&cursor=${body.next}`)).toHaveLength((await addresses('')).length - 1);
    expect(await addresses('order=newest')).toEqual((await addresses('')).toReversed());
  });

  it.each([
    ['an e-mail address on a phone channel', { channel: 'sms', address: 'ann@hand.example' }],
    ['a phone number as e-mail', { address: '+442079460958' }],
    ['a number without its country', { channel: 'voice', address: '020 7946 0958' }],
  ])('refuse %s with the name of the field', async (_, body) => {
    const answer = await suppress(body);
    expect([answer.status, answer.body.issues?.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['body.address'],
    ]);
  });
});
