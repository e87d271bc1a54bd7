import { setImmediate, setTimeout } from 'node:timers/promises';
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

  /** Sends messages that are claimed ahead, ten at a time. Returns how many began together, and what was settled. */
  const sendClaimed = async (count: number, send: MessageSender['send']) => {
    const sender: MessageSender = { provider: 'fake', fromAddress: null, concurrency: 10, pool: {}, send };
    const begun: number[] = [];
    const settled: string[] = [];
    let last = 0;
    const ended = await sendInChunks<number>({
      items: Array.from({ length: count }, (_, nth) => nth + 1),
      sender,
      isStopped: () => false,
      claim: async (chunk) =>
        chunk.map((position) => ({
          attempts: 1,
          message: { channel: 'sms', content: { body: 'Hi' }, orgId: 'org', deliveryId: `d${position}`, to: '+1' },
          position,
        })),
      begin: async (group) => {
        const position = group.at(-1)?.position ?? 0;
        begun.push(position - last);
        last = position;
        return [];
      },
      settle: async (results) => {
        for (const [, { status }] of results) settled.push(status);
      },
    }).catch((error: unknown) => error);
    return { begun, settled, ended };
  };
  it('has as many begin together as a sender takes in a moment: ever more of a fast one, at most 25', async () => {
    let sending = 0;
    let most = 0;
    const { begun, settled, ended } = await sendClaimed(2_000, async (message) => {
      most = Math.max(most, ++sending);
      await setImmediate();
      sending--;
      return accepts(message);
    });
    expect([ended, begun[0], Math.max(...begun)]).toEqual([undefined, 5, 25]);
    expect(most).toBe(10);
    expect(settled).toEqual(Array(2_000).fill('accepted'));
  });

  it('has no more begin together than are sent at once if each takes long', async () => {
    const { begun } = await sendClaimed(60, async (message) => {
      await setTimeout(35);
      return accepts(message);
    });
    expect(new Set(begun)).toEqual(new Set([5]));
  });

  it('puts back what has begun and not been given to a sender that became slow', async () => {
    let given = 0;
    const { settled, ended } = await sendClaimed(200, async (message) => {
      if (++given > 100 && given <= 110) await setTimeout(200);
      return accepts(message);
    });
    expect(ended).toBeUndefined();
    const [sent, back] = ['accepted', 'queued'].map((status) => settled.filter((each) => each === status).length);
    expect(sent).toBe(given);
    expect(back).toBeGreaterThan(0);
    expect(settled).toHaveLength(200);
  });

  it('gives nothing more of what has begun to a sender that is away, and puts it back', async () => {
    let given = 0;
    const { settled, ended } = await sendClaimed(400, async (message) => {
      if (++given > 200) return { kind: 'retry', scope: 'provider', reason: 'away' };
      return accepts(message);
    });
    expect(ended).toBeInstanceOf(SenderUnavailable);
    expect(given).toBeLessThanOrEqual(210);
    expect(settled.filter((status) => status === 'accepted')).toHaveLength(200);
    expect(settled.filter((status) => status === 'queued').length).toBeGreaterThan(given - 200);
  });
});
