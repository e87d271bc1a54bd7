import { sql } from 'kysely';
import { emailStep, inDomain, timeIn, zoneAtNoon } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const SECOND = 1 / 60;

interface Delivery {
  id: string;
  contact_id: string;
  sequence_id: string;
  status: string;
  gate: string | null;
  reason: string | null;
  attempts: number;
  not_before: Date | null;
  began_at: Date | null;
}

describe('limits across sequences', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const create = async (org: TestOrg, input: object = {}) => {
    const { status, body } = await org.post('/sequences', { filter: null, steps: [emailStep('Hi')], ...input });
    expect(status).toBe(201);
    return body.id as string;
  };
  const contactsOf = (count: number, domain: string) =>
    Array.from({ length: count }, (_, i) => ({ email: `c${i}@${domain}` }));
  const add = (org: TestOrg, sequenceId: string, contacts: object[]) =>
    org.post(`/sequences/${sequenceId}/contacts`, { contacts });
  const deliveriesOf = (org: TestOrg): Promise<Delivery[]> =>
    stack.db
      .selectFrom('deliveries')
      .select(['id', 'contact_id', 'sequence_id', 'status', 'gate', 'reason', 'attempts', 'not_before', 'began_at'])
      .where('org_id', '=', org.id)
      .$castTo<Delivery>()
      .execute();
  const settled = (org: TestOrg, count: number, isSettled: (delivery: Delivery) => boolean) =>
    eventually(`${count} deliveries`, async () => {
      const deliveries = await deliveriesOf(org);
      return deliveries.length === count && deliveries.every(isSettled) && deliveries;
    });

  describe('a daily cap', () => {
    it('applies to each contact across all sequences at once, and defers the rest to the next day', async () => {
      const org = await stack.createOrg();
      const timezone = zoneAtNoon();
      await org.patch('/org/settings', { timezone, daily_cap: 2 });
      const contacts = contactsOf(12, 'cap.example');
      await org.post('/contacts/batch', { contacts });
      const sequences = await Promise.all(
        ['A', 'B', 'C', 'D'].map((name) => create(org, { steps: [emailStep(name)] })),
      );
      await Promise.all(sequences.map((id) => add(org, id, contacts)));
      const deliveries = await settled(org, 48, ({ status }) => status === 'accepted' || status === 'held');

      for (const own of Map.groupBy(deliveries, ({ contact_id }) => contact_id).values())
        expect(own.map(({ status }) => status).toSorted()).toEqual(['accepted', 'accepted', 'held', 'held']);
      for (const { email } of contacts) expect(stack.sink.to(email)).toHaveLength(2);
      const today = new Date().toLocaleDateString('en-CA', { timeZone: timezone });
      for (const { gate, reason, not_before } of deliveries.filter(({ status }) => status === 'held')) {
        expect([gate, reason]).toEqual(['daily_cap', `daily_cap: 2 of at most 2 sent on ${today} in ${timezone}`]);
        expect(not_before?.toLocaleString('en-GB', { timeZone: timezone })).toMatch(/, 00:00:00$/);
        expect((not_before as Date).getTime() - Date.now()).toBeLessThan(86_400_000);
      }
    });

    it("a daily cap of a sequence replaces the org's, and counts the sends of other sequences", async () => {
      const org = await stack.createOrg();
      await org.patch('/org/settings', { timezone: zoneAtNoon(), daily_cap: 1 });
      const ann = contactsOf(1, 'own-cap.example');
      await org.post('/contacts/batch', { contacts: ann });
      const steps = [emailStep('One'), emailStep('Two'), emailStep('Three')];
      const [generous, strict] = [await create(org, { steps, gates: { daily_cap: 2 } }), await create(org)];
      await add(org, generous, ann);
      await eventually('the third mail', async () => (await deliveriesOf(org)).some(({ status }) => status === 'held'));
      await add(org, strict, ann);
      const deliveries = await settled(org, 4, ({ status }) => status === 'accepted' || status === 'held');
      expect(deliveries.filter(({ status }) => status === 'accepted').map(({ sequence_id }) => sequence_id)).toEqual([
        generous,
        generous,
      ]);
      expect(deliveries.find(({ sequence_id }) => sequence_id === strict)?.reason).toContain(
        'daily_cap: 2 of at most 1 sent',
      );
    });
  });

  describe('sends a minute', () => {
    const gates = { sends_per_minute: 36 }; // three every five seconds
    const to = (domain: string, from_email: string) => ({
      gates,
      filter: inDomain(domain),
      steps: [emailStep('Hi', 0, { from_email })],
    });

    it('are spaced for a sender across all its sequences, and each goes out in its slot', async () => {
      const org = await stack.createOrg();
      const [a, b] = [
        await create(org, to('a.example', 'news@acme.example')),
        await create(org, to('b.example', 'News@acme.example')),
      ];
      const free = await create(org, to('free.example', 'other@acme.example'));
      await Promise.all([add(org, a, contactsOf(4, 'a.example')), add(org, b, contactsOf(3, 'b.example'))]);
      await add(org, free, contactsOf(3, 'free.example'));
      const turns = await eventually('all turns', async () => {
        const deliveries = await deliveriesOf(org);
        return (
          deliveries.length === 10 && deliveries.filter(({ status }) => status === 'held').length === 4 && deliveries
        );
      });
      const held = turns.filter(({ status }) => status === 'held');
      for (const { gate, reason, not_before } of held) {
        expect(gate).toBe('sends_per_minute');
        expect(reason).toBe(
          `sends_per_minute: news@acme.example sends at most 36 a minute, and its turns before ${not_before?.toISOString()} are taken`,
        );
      }
      const sent = (await settled(org, 10, ({ status }) => status === 'accepted')).filter(
        ({ sequence_id }) => sequence_id !== free,
      );
      const times = sent.map(({ began_at }) => (began_at as Date).getTime()).toSorted((one, other) => one - other);
      const seconds = times.map((at) => (at - (times[0] as number)) / 1_000);
      for (const [i, expected] of [0, 0, 0, 5, 5, 5, 10].entries()) {
        expect(seconds[i]).toBeGreaterThanOrEqual(expected);
        expect(seconds[i]).toBeLessThan(expected + 4);
      }
      for (const { id, not_before } of held) {
        const delivery = sent.find((one) => one.id === id) as Delivery;
        expect((delivery.began_at as Date).getTime()).toBeGreaterThanOrEqual((not_before as Date).getTime());
        expect(delivery).toMatchObject({ attempts: 1, gate: null, reason: null });
      }
      const rates = await stack.db
        .selectFrom('sender_rates')
        .selectAll()
        .where('org_id', '=', org.id)
        .orderBy('sender')
        .execute();
      expect(rates.map(({ sender, used }) => [sender, used])).toEqual([
        ['news@acme.example', 1],
        ['other@acme.example', 3],
      ]); // as after seven and three sends: none reserved two slots
    });

    it('release the slots of canceled sends', async () => {
      const org = await stack.createOrg();
      const slow = { gates: { sends_per_minute: 1 } };
      const mistaken = await create(org, slow);
      await add(org, mistaken, contactsOf(30, 'mistake.example'));
      await settled(org, 30, ({ status }) => status === 'accepted' || status === 'held');
      await org.put(`/sequences/${mistaken}/cancel`);
      await settled(org, 30, ({ status }) => status === 'accepted' || status === 'canceled');
      const meant = await create(org, { ...slow, filter: inDomain('meant.example') });
      await add(org, meant, contactsOf(1, 'meant.example'));
      const deliveries = await settled(org, 31, ({ status }) => status !== 'sending');
      const { not_before } = deliveries.find(({ sequence_id }) => sequence_id === meant) as Delivery;
      expect((not_before as Date).getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    });

    it('get new slots when the limit changes, and keep their slots through any other change', async () => {
      const org = await stack.createOrg();
      const id = await create(org, { gates: { sends_per_minute: 1 } });
      await add(org, id, contactsOf(5, 'faster.example'));
      const turnsOf = (deliveries: Delivery[]) => deliveries.map(({ not_before }) => not_before?.getTime()).toSorted();
      const before = await settled(org, 5, ({ status }) => status === 'accepted' || status === 'held');
      await org.patch(`/sequences/${id}`, { gates: { daily_cap: 5, sends_per_minute: 1 } });
      await org.patch('/org/settings', { timezone: 'Asia/Tokyo', daily_cap: 4 });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(turnsOf(await deliveriesOf(org))).toEqual(turnsOf(before));
      await org.patch(`/sequences/${id}`, { gates: { sends_per_minute: 600 } });
      await settled(org, 5, ({ status }) => status === 'accepted');
    });

    it('are not exceeded after a pause, though slots passed during it', async () => {
      const org = await stack.createOrg();
      const id = await create(org, { gates: { sends_per_minute: 1 } });
      await add(org, id, contactsOf(20, 'pause.example'));
      await settled(org, 20, ({ status }) => status === 'accepted' || status === 'held');
      await org.put(`/sequences/${id}/pause`);
      await makeOlder(org, id, 3_600);
      await org.put(`/sequences/${id}/resume`);
      const isAhead = ({ status, not_before }: Delivery) =>
        status === 'accepted' || (not_before?.getTime() ?? 0) > Date.now();
      const deliveries = await settled(org, 20, isAhead);
      const sent = deliveries.filter(({ status }) => status === 'accepted').map(({ began_at }) => began_at);
      expect([sent, sent.length]).toEqual([sent, 2]); // one before the pause, one after it
    });

    it('are also deferred by quiet hours, without reserving a slot', async () => {
      const org = await stack.createOrg();
      const quiet_hours = { start: timeIn('UTC', -60), end: timeIn('UTC', 60) };
      const id = await create(org, { gates: { sends_per_minute: 1, quiet_hours } });
      await add(org, id, contactsOf(3, 'quiet.example'));
      const deliveries = await settled(org, 3, ({ status }) => status === 'held');
      expect(deliveries.map(({ gate }) => gate)).toEqual(['quiet_hours', 'quiet_hours', 'quiet_hours']);
      expect(await stack.db.selectFrom('sender_rates').selectAll().where('org_id', '=', org.id).execute()).toEqual([]);
    });

    it('also limit the other steps of the same sequence', async () => {
      const org = await stack.createOrg();
      const id = await create(org, {
        gates: { sends_per_minute: 12 },
        steps: [emailStep('One'), emailStep('Two', SECOND)],
      });
      await add(org, id, contactsOf(1, 'steps.example'));
      const deliveries = await settled(org, 2, ({ status }) => status === 'accepted');
      const [one, two] = deliveries.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [Delivery, Delivery];
      const spacing = (two.began_at as Date).getTime() - (one.began_at as Date).getTime();
      expect(spacing).toBeGreaterThanOrEqual(5_000);
      expect(spacing).toBeLessThan(8_000);
    });
  });

  /** Moves everything waiting in a sequence back in time, as if the seconds had passed. */
  const makeOlder = async (org: TestOrg, sequenceId: string, seconds: number) => {
    const shift = sql`${seconds} * interval '1 second'`;
    await sql`update deliveries set not_before = not_before - ${shift}, began_at = began_at - ${shift} where org_id = ${org.id}`.execute(
      stack.db,
    );
    await sql`update enrollments set held_until = held_until - ${shift} where org_id = ${org.id} and sequence_id = ${sequenceId}`.execute(
      stack.db,
    );
    await sql`update sender_rates set slot_at = slot_at - ${shift} where org_id = ${org.id}`.execute(stack.db);
  };
});
