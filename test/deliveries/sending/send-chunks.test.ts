import type { MessageSender, OutgoingMessage } from '../../../src/deliveries/sending/message-sender.ts';
import type { Settlement } from '../../../src/deliveries/sending/outcomes.rules.ts';
import { SenderUnavailable, sendInChunks } from '../../../src/deliveries/sending/send-chunks.ts';

/**
 * Sends eight messages, four to a chunk, with the given `send`. Returns the claimed ids, the settlements, and the
 * error, if any.
 */
async function sendEight(send: MessageSender['send']) {
  const sender: MessageSender = { provider: 'fake', fromAddress: null, concurrency: 8, pool: {}, send };
  const begun: string[] = [];
  const settled = new Map<string, Settlement>();
  const ended = await sendInChunks<string>({
    items: Array.from({ length: 8 }, (_, i) => `d${i}`),
    sender,
    isStopped: () => false,
    claim: async (chunk) => {
      begun.push(...chunk);
      return chunk.map((deliveryId) => ({
        attempts: 1,
        message: { channel: 'sms', content: { body: 'Hi' }, orgId: 'org', deliveryId, to: '+14155550100' },
        position: 0,
      }));
    },
    settle: async (results) => {
      for (const [id, settlement] of results) settled.set(id, settlement);
    },
  }).catch((error: unknown) => error);
  return { begun, settled, ended };
}

const accepts = async ({ deliveryId }: OutgoingMessage) =>
  ({ kind: 'accepted', providerId: `p-${deliveryId}` }) as const;
const throwsFor =
  (thrower: string, error: Error): MessageSender['send'] =>
  async (message) => {
    if (message.deliveryId === thrower) throw error;
    return accepts(message);
  };

describe('sendInChunks', () => {
  it('settles every send of a sender that accepts all', async () => {
    const { begun, settled, ended } = await sendEight(accepts);
    expect([ended, begun.length]).toEqual([undefined, 8]);
    expect([...settled.values()].map(({ status }) => status)).toEqual(Array(8).fill('accepted'));
  });

  it('settles the other sends if the sender throws for one, and requeues this one', async () => {
    const { begun, settled, ended } = await sendEight(throwsFor('d1', new Error('there is no such file')));
    expect([...settled.keys()].sort()).toEqual(begun.toSorted());
    const { d1, ...others } = Object.fromEntries(settled);
    expect(d1).toMatchObject({ status: 'queued', delayMs: 0, providerId: null, suppression: null });
    expect(Object.keys(others).length).toBeGreaterThanOrEqual(3);
    for (const [id, { status, providerId }] of Object.entries(others))
      expect([status, providerId]).toEqual(['accepted', `p-${id}`]);
    expect(ended).toBeInstanceOf(SenderUnavailable);
    expect(ended).toMatchObject({
      transient: true,
      isConfiguration: false,
      reason: expect.stringContaining('no such'),
    });
  });

  it('claims nothing more after the sender threw', async () => {
    const begun: string[] = [];
    const sender = {
      provider: 'fake',
      fromAddress: null,
      concurrency: 2,
      pool: {},
      send: throwsFor('d0', new Error('no')),
    };
    const work = sendInChunks<string>({
      items: Array.from({ length: 100 }, (_, i) => `d${i}`),
      sender,
      isStopped: () => false,
      claim: async ([deliveryId = '']) => {
        begun.push(deliveryId);
        const message = {
          channel: 'sms',
          content: { body: 'Hi' },
          orgId: 'org',
          deliveryId,
          to: '+14155550100',
        } as const;
        return [{ attempts: 1, message, position: 0 }];
      },
      settle: async () => undefined,
    });
    await expect(work).rejects.toBeInstanceOf(SenderUnavailable);
    expect(begun.length).toBeLessThan(10);
  });
});
