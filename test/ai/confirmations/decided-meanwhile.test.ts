import { setTimeout as sleep } from 'node:timers/promises';
import { decideConfirmation } from '../../../src/ai/confirmations/service.ts';
import { assumeResolved } from '../../../src/ai/turns/assumption.service.ts';
import { handOff } from '../../../src/conversations/sessions/actions.service.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import {
  type Booking,
  behindTurn,
  bookingsOf,
  callsOf,
  decideBy,
  linkOf,
  say,
  startBooking,
  textsOf,
  told,
  turnOf,
} from './booking.ts';

const DONE = 'This has been done.';
const REJECTED = 'All right, we will not do this.';
/** A workflow has heard of a decision after this time, so that a message is the next thing that it hears of. */
const HEARD_MS = 1_000;

let booking: Booking;
let org: TestOrg;
beforeAll(async () => {
  booking = await startBooking();
});
afterAll(() => booking.close());
beforeEach(async () => {
  booking.effects.length = 0;
  booking.model.asked.length = 0;
  org = await booking.newOrg();
});

const sessionOf = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const callOf = (id: string) => eventually('the call', async () => (await callsOf(org, id))[0]);

/** Has the contact ask something, and goes on with `work` while the model thinks about it. */
async function whileModelThinks(id: string, work: () => Promise<void>): Promise<void> {
  const thought = Promise.withResolvers<void>();
  booking.obey((said) => (said.startsWith('Show') ? thought.promise : undefined));
  await say(org, 'Show me my seat', id);
  await eventually('the question to the model', () =>
    booking.model.asked.some(({ question }) => question.startsWith('Show')),
  );
  await work().finally(() => thought.resolve());
}

/** Returns a session with a question that waits. */
async function newQuestion(): Promise<string> {
  booking.obey();
  const id = await say(org, 'Book 2 seats');
  expect(await turnOf(org, id, 1)).toMatchObject({ state: 'asked' });
  return id;
}

describe('a decision beside a message', () => {
  it.each(['I have pressed the button', 'Thanks, that solved it'])(
    'is carried out and told where the contact also writes “%s”',
    async (text) => {
      const id = await newQuestion();
      await whileModelThinks(id, async () => {
        expect((await decideBy(booking.stack, await linkOf(org, id), 'confirm')).status).toBe(200);
        await sleep(HEARD_MS);
        await say(org, text, id);
        await told(org, id, DONE);
      });
      expect(await bookingsOf(org, id)).toEqual(['2: done']);
      expect(booking.effects).toHaveLength(1);
      expect((await sessionOf(id)).status).toBe('open');
      expect((await textsOf(org, id)).filter((said) => said === DONE)).toHaveLength(1);
    },
  );

  it('is told where an agent has found out what became of a call', async () => {
    const id = await newQuestion();
    const { id: callId } = await callOf(id);
    const unknown = { state: 'unknown', ended_at: new Date() } as const;
    await booking.stack.db.updateTable('ai_calls').set(unknown).where('id', '=', callId).execute();
    await whileModelThinks(id, async () => {
      const settled = await org.post(`/autopilot/calls/${callId}/settle`, { outcome: 'done', note: 'It is there.' });
      expect(settled.status).toBe(200);
      await sleep(HEARD_MS);
      await say(org, 'I see it in my account', id);
      await told(org, id, DONE);
    });
  });

  it('keeps the session open where its contact is quiet for long', async () => {
    const id = await newQuestion();
    const { db } = booking.stack;
    await say(org, 'Where do I sit?', id);
    await turnOf(org, id, 2);
    // Set after the turns, so that no workflow resolves the session beside this test.
    await org.patch('/autopilot/settings', { assume_resolved_after_minutes: 5 });
    await org.post('/autopilot/settings/publish');
    await db.updateTable('ai_turns').set({ state: 'answered' }).where('session_id', '=', id).execute();
    const longAgo = { created_at: new Date(Date.now() - 3_600_000) };
    await db.updateTable('session_events').set(longAgo).where('session_id', '=', id).execute();
    const confirmed = { state: 'confirmed', confirmed_by: 'link', decided_at: new Date() } as const;
    await db.updateTable('ai_calls').set(confirmed).where('session_id', '=', id).execute();
    const ref = { orgId: org.id, sessionId: id };
    expect(await assumeResolved(db, ref)).toEqual({ isResolved: false, waitMs: null });
    const calls = db.updateTable('ai_calls').where('session_id', '=', id);
    const underWay = { state: 'running' as const, decided_at: null, ended_at: null };
    await calls.set({ ...underWay, leased_until: new Date(Date.now() + 60_000) }).execute();
    expect(await assumeResolved(db, ref)).toEqual({ isResolved: false, waitMs: null });
    await calls.set({ leased_until: longAgo.created_at }).execute(); // its worker was killed
    expect(await assumeResolved(db, ref)).toMatchObject({ isResolved: true });
  });
});

describe('a decision before the question is stored', () => {
  const decisions = [
    ['confirm', DONE, ['2: done'], 1],
    ['reject', REJECTED, ['2: rejected'], 0],
  ] as const;
  const places = [
    ['is carried out and told by the same turn', 'proposal'],
    ['is carried out and told where it comes with the question', 'step'],
  ] as const;

  describe.each(places)('%s', (_, place) => {
    it.each(decisions)('%s', async (decision, text, bookings, count) => {
      booking.obey();
      const begin = () => say(org, 'Book 2 seats');
      const id = await behindTurn(booking.stack.db, org.id, place, {
        begin,
        async work(trx) {
          const call = await trx
            .selectFrom('ai_calls')
            .select('id')
            .where('org_id', '=', org.id)
            .executeTakeFirstOrThrow();
          await decideConfirmation(trx, org.id, call.id, { decision, by: 'agent' });
        },
      });
      expect(await turnOf(org, id, 1)).toMatchObject({ state: 'answered', reason: null });
      expect(await textsOf(org, id)).toEqual(['Book 2 seats', text]);
      expect(await bookingsOf(org, id)).toEqual(bookings);
      expect(booking.effects).toHaveLength(count);
      expect((await sessionOf(id)).handoff).toBeNull();
    });
  });
});

/** Has a turn book seats, and people take its session over at a point of it. Returns what had become of the call then. */
async function takenOverAt(place: 'proposal' | 'step'): Promise<{ id: string; callState: string | undefined }> {
  booking.obey();
  let callState: string | undefined;
  const id = await behindTurn(booking.stack.db, org.id, place, {
    begin: () => say(org, 'Reserve 2 seats'),
    async work(trx) {
      const calls = trx.selectFrom('ai_calls').select(['session_id', 'state']).where('org_id', '=', org.id);
      const call = await calls.executeTakeFirstOrThrow();
      callState = call.state;
      await handOff(trx, org.id, call.session_id, { reason: 'A person takes it' });
    },
  });
  return { id, callState };
}

/** Postgres gives the session's lock to the turn if it asks before the one that waits has woken: then another org tries. */
async function takenOverBeforeTheCall(): Promise<string> {
  for (let tries = 0; tries < 5; tries++) {
    const { id, callState } = await takenOverAt('proposal');
    if (callState === 'proposed') return id;
    booking.effects.length = 0;
    org = await booking.newOrg();
  }
  throw new Error('The turn was faster than the people five times');
}

it('a call that was proposed before people took the session over is not made after that', async () => {
  const id = await takenOverBeforeTheCall();
  expect(await turnOf(org, id, 1)).toMatchObject({ state: 'canceled', reason: 'people_have_it' });
  expect(await bookingsOf(org, id)).toEqual(['2: expired']);
  expect(booking.effects).toEqual([]);
});

it('a turn that has made a call is canceled where people take the session over before its answer is stored', async () => {
  const { id } = await takenOverAt('step');
  expect(await turnOf(org, id, 1)).toMatchObject({ state: 'canceled', reason: 'people_have_it' });
  expect(await bookingsOf(org, id)).toEqual(['2: done']);
  expect(booking.effects).toHaveLength(1);
});
