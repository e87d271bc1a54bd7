import { createSequence, newNumber, untilDelivery, WHATSAPP_NUMBER } from '../../support/channels.ts';
import { textsIn } from '../../support/payloads.ts';
import { emailStep, smsStep } from '../../support/sequences.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

describe('the data of a requested message in Temporal', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const requests: [string, (to: string) => Promise<string[]>][] = [
    [
      'a call',
      async (phoneNumber) => {
        const { id } = (await stack.org.post('/phone', { name: 'Reminders', type: 'outbound' })).body;
        const call = { phoneAgentId: id, contact: { phoneNumber } };
        return [(await stack.org.post('/phone/outbound-call', call)).body.call_id];
      },
    ],
    [
      'a WhatsApp template',
      async (phone_number) => {
        const template = { template_id: '1001', phone_number_id: WHATSAPP_NUMBER, variables: ['Ada'] };
        const { body } = await stack.org.post('/whatsapp/send-template', { ...template, contact: { phone_number } });
        return [body.opencx_message_id];
      },
    ],
    [
      'a test by SMS',
      async (to) => {
        const sequenceId = await createSequence(stack.org, [smsStep('Hi'), smsStep('Bye')]);
        return idsOf(await stack.org.post(`/sequences/${sequenceId}/test`, { to }));
      },
    ],
  ];
  const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

  const expectPrivate = async (ids: string[], to: string) => {
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) {
      await untilDelivery(stack.org, id, 'accepted');
      const handle = stack.temporal.workflow.getHandle(`message/${id}`);
      await handle.result();
      const described = await handle.describe();
      const { events } = await handle.fetchHistory();
      const summary = await described.staticSummary();
      const kept = [summary, await described.staticDetails(), textsIn(described.raw), textsIn(events)].join('\n');
      expect(summary).toMatch(/^One /);
      expect(kept).toContain(id); // its input was read
      expect(kept).not.toContain(to.replace('+', ''));
      expect(kept).not.toContain('Ada');
    }
  };

  it.each(requests)('contains no phone number: %s', async (_, request) => {
    const to = newNumber();
    await expectPrivate(await request(to), to);
  });

  it('contains no address: a test by e-mail', async () => {
    const sequenceId = await createSequence(stack.org, [emailStep('Hi')]);
    const to = 'ann@private.example';
    await expectPrivate(idsOf(await stack.org.post(`/sequences/${sequenceId}/test`, { to })), to);
  });
});
