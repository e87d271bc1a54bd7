import type { TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import { type Booking, bookingsOf, holdingTurns, say, startBooking, turnOf } from './booking.ts';

let booking: Booking;
let org: TestOrg;
beforeAll(async () => {
  booking = await startBooking();
});
afterAll(() => booking.close());
beforeEach(async () => {
  booking.effects.length = 0;
  booking.obey();
  org = await booking.newOrg();
});

describe('a “yes” or “no” to a question of the AI', () => {
  it.each([
    ['yes', ['2: needs_confirmation', '3: done'], 1],
    ['no', ['2: needs_confirmation', '3: rejected'], 0],
  ])('decides the newest question alone where two wait: “%s”', async (answer, bookings, count) => {
    const id = await say(org, 'Book 2 seats');
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'asked' });
    await say(org, 'Book 3 seats, too', id);
    expect(await turnOf(org, id, 2)).toMatchObject({ state: 'asked' });
    await say(org, answer, id);
    expect(await turnOf(org, id, 3)).toMatchObject({ state: 'answered' });
    expect(await bookingsOf(org, id)).toEqual(bookings);
    expect(booking.effects).toHaveLength(count);
  });

  it('decides nothing that was asked after it was written', async () => {
    const written = Promise.withResolvers<void>();
    booking.model.say(async ({ isPlan, data, question }) => {
      const receipts = data.receipts?.length ?? 0;
      if (isPlan && receipts > 0 && question.startsWith('Reserve')) await written.promise;
      if (isPlan && question.startsWith('Reserve'))
        return { calls: [{ name: receipts === 0 ? 'reserve' : 'book', arguments: { body_params: { seats: 2 } } }] };
      if (isPlan) return { json: { language: 'en', queries: [] } };
      const parts = [{ question: 'Which seats do you mean?' }];
      return { json: { kind: 'ask', language: 'en', covers: 'fully', parts } };
    });
    const id = await say(org, 'Reserve 2 seats, and book them');
    await eventually('the effect', () => booking.effects.length > 0);
    await say(org, 'Yes, please!', id);
    written.resolve();
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'asked' });
    await turnOf(org, id, 2);
    expect(await bookingsOf(org, id)).toEqual(['2: done', '2: needs_confirmation']);
    expect(booking.effects).toHaveLength(1);
    await say(org, 'yes', id);
    await turnOf(org, id, 3);
    expect(await bookingsOf(org, id)).toEqual(['2: done', '2: done']);
  });

  it('decides nothing that was never asked, because a newer message came before the question', async () => {
    const id = await say(org, 'Book 2 seats');
    await holdingTurns(booking.stack.db, async () => {
      await eventually('the proposal', async () => (await bookingsOf(org, id)).length > 0);
      await say(org, 'Wait, where do I sit?', id);
      await turnOf(org, id, 2);
    });
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'superseded' });
    await say(org, 'yes', id);
    await turnOf(org, id, 3);
    expect(await bookingsOf(org, id)).toEqual(['2: needs_confirmation']);
    expect(booking.effects).toEqual([]);
  });
});
