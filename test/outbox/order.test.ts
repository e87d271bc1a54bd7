import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { announce } from '../../src/outbox/announcing.ts';
import { insertClaim } from '../../src/outbox/interruptions.ts';
import type { Reactions } from '../../src/outbox/reactions.ts';
import { startRelay } from '../../src/outbox/relay.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

type Type = 'contact-created' | 'contact-deleted';

describe('events of one subject', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const startsRelay = (reactions: Reactions) =>
    startRelay({
      databaseUrl: api.databaseUrl,
      db: api.db,
      commandDb: api.db,
      temporal: () => undefined,
      reactions,
      log: pino({ level: 'silent' }),
    });
  const tell = (orgId: string, type: Type, subject: string) =>
    inTransaction(api.db, (trx) => announce(trx, orgId, [{ type, subject_id: subject, payload: {} }]));
  /** Writes down what is handled. `before` runs first, for each group of events. */
  function recording(before: (type: Type, subjects: string[]) => Promise<void> = async () => undefined) {
    const handled: string[] = [];
    const reactionTo = (type: Type) => async (_: unknown, __: string, events: { subject_id: string }[]) => {
      const subjects = events.map(({ subject_id }) => subject_id);
      await before(type, subjects);
      handled.push(...subjects.map((subject) => `${type} ${subject}`));
    };
    const reactions: Reactions = {
      'contact-created': [reactionTo('contact-created')],
      'contact-deleted': [reactionTo('contact-deleted')],
    };
    return { handled, reactions };
  }

  it('are handled in order, whatever else is in their batch', async () => {
    const org = await api.createOrg();
    const [one, two, three] = [newId(), newId(), newId()];
    const told = [
      ['contact-deleted', one],
      ['contact-created', two],
      ['contact-deleted', two],
      ['contact-created', three],
      ['contact-created', two],
    ] as [Type, string][];
    for (const [type, subject] of told) await tell(org.id, type, subject);
    let groups = 0;
    const { handled, reactions } = recording(async () => void groups++);
    const relay = startsRelay(reactions);
    await eventually('all events', () => handled.length === told.length);
    await relay.stop();
    const of = (subject: string) => handled.filter((event) => event.endsWith(subject));
    expect(of(two)).toEqual(['contact-created', 'contact-deleted', 'contact-created'].map((type) => `${type} ${two}`));
    expect(groups).toBe(4);
  });

  it('wait for one whose handling ended a process, and those of others do not', async () => {
    const org = await api.createOrg();
    const [one, two] = [newId(), newId()];
    await tell(org.id, 'contact-created', one);
    const interrupted = await api.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
    await insertClaim(api.db, { orgId: org.id, ids: interrupted.map(({ id }) => id), backend: 0 });
    const { handled, reactions } = recording();
    const relay = startsRelay(reactions);
    await eventually('the delay', async () => {
      const rows = await api.db.selectFrom('outbox').select('interruptions').where('org_id', '=', org.id).execute();
      return rows[0]?.interruptions === 1;
    });
    await tell(org.id, 'contact-deleted', one);
    await tell(org.id, 'contact-created', two);
    await eventually('all events', () => handled.length === 3);
    await relay.stop();
    expect(handled).toEqual([`contact-created ${two}`, `contact-created ${one}`, `contact-deleted ${one}`]);
  });

  it('wait for one that another relay is handling, and those of other orgs do not', async () => {
    const [org, other] = [await api.createOrg(), await api.createOrg()];
    const [one, two] = [newId(), newId()];
    const slow = Promise.withResolvers<void>();
    let isStarted = false;
    const { handled, reactions } = recording(async (type, subjects) => {
      if (type !== 'contact-created' || !subjects.includes(one)) return;
      isStarted = true;
      await slow.promise;
    });
    const relays = [startsRelay(reactions), startsRelay(reactions)];
    await tell(org.id, 'contact-created', one);
    await eventually('the start', () => isStarted);
    await tell(org.id, 'contact-deleted', one);
    await tell(other.id, 'contact-created', two);
    await eventually('the other org', () => handled.length === 1);
    await sleep(1_500); // longer than a sweep
    expect(handled).toEqual([`contact-created ${two}`]);
    slow.resolve();
    await eventually('all events', () => handled.length === 3);
    await Promise.all(relays.map((relay) => relay.stop()));
    expect(handled.slice(1)).toEqual([`contact-created ${one}`, `contact-deleted ${one}`]);
  });
});
