import { CrmError } from '../../../src/providers/crm/errors.ts';
import {
  errorAfter,
  type Fault,
  resetAfter,
  resetBefore,
  slow,
  unavailable,
} from '../../support/fakes/faulty-server.ts';
import { limited, refuses } from '../../support/fakes/hubspot/server.ts';
import { again, facts, first, startHubspotClient } from '../../support/hubspot-client.ts';

const TICKETS = '/crm/v3/objects/tickets';
const SCHEMA = '/crm/v3/properties/tickets';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function start(...settings: Parameters<typeof startHubspotClient>) {
  const started = await startHubspotClient(...settings);
  opened.push(started);
  return started;
}

const failureOf = async (work: Promise<unknown>): Promise<CrmError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CrmError);
  return error as CrmError;
};

describe('a failed write to HubSpot', () => {
  it.each<[string, Fault, object]>([
    ['429 with Retry-After', limited('SECONDLY', { 'retry-after': '7' }), { transient: true, retryAfterMs: 7_000 }],
    ['429 of a second', limited('SECONDLY'), { transient: true, retryAfterMs: 1_000 }],
    ['429 of ten seconds', limited('TEN_SECONDLY_ROLLING'), { transient: true, retryAfterMs: 10_000 }],
    [
      '429 of a day',
      limited('DAILY'),
      { transient: true, retryAfterMs: 900_000, message: expect.stringContaining('DAILY') },
    ],
    ['423', refuses(423, 'locked'), { transient: true, mayHaveArrived: false }],
    ['477', refuses(477, 'migrating', {}, { 'retry-after': '60' }), { transient: true, retryAfterMs: 60_000 }],
    ['500 after the effect', errorAfter(), { transient: true, mayHaveArrived: true, status: 500 }],
    ['503 with Retry-After', unavailable('30'), { transient: true, retryAfterMs: 30_000, mayHaveArrived: true }],
    ['400', refuses(400, 'the subject is odd', { category: 'VALIDATION_ERROR' }), { transient: false, status: 400 }],
    ['403', refuses(403, 'missing the scope tickets'), { transient: false, mayHaveArrived: false }],
    ['a cut connection', resetBefore, { transient: true, mayHaveArrived: true, status: undefined }],
  ])('is classified by its kind: %s', async (_name, fault, expected) => {
    const { fake, client } = await start();
    fake.next('POST', TICKETS, fault);
    const failure = await failureOf(client.doPart('ticket', facts(), first()));
    expect(failure).toMatchObject({ mayHaveArrived: false, areCredentialsRefused: false, ...expected });
    expect(fake.requests('POST', TICKETS)).toHaveLength(1);
  });

  it('reports HubSpot’s explanation', async () => {
    const { fake, client } = await start();
    fake.next('POST', TICKETS, refuses(400, 'the subject is odd', { category: 'VALIDATION_ERROR' }));
    const failure = await failureOf(client.doPart('ticket', facts(), first()));
    expect(failure.message).toBe('HubSpot 400 VALIDATION_ERROR: the subject is odd');
  });

  it('never quotes the token', async () => {
    const { fake, client } = await start();
    fake.next('POST', TICKETS, refuses(400, `bad: ${fake.accessToken}`));
    const failure = await failureOf(client.doPart('ticket', facts(), first()));
    expect(JSON.stringify([failure.message, failure])).not.toContain(fake.accessToken);
    expect(failure.message).toContain('***');
  });

  it('may have arrived if the response is too late', async () => {
    const { fake, hurried } = await start();
    fake.next('POST', TICKETS, slow(1_000));
    const failure = await failureOf(hurried.doPart('ticket', facts(), first()));
    expect(failure).toMatchObject({ transient: true, mayHaveArrived: true });
    expect(fake.crm.tickets).toHaveLength(1);
  });

  it('did not arrive if no connection was made', async () => {
    const { fake, client, close } = await start();
    opened.splice(0);
    await client.findNote('1');
    await fake.close();
    const failure = await failureOf(client.doPart('contact', facts(), first()));
    expect(failure).toMatchObject({ transient: true, mayHaveArrived: false });
    await close();
  });

  it('is transient if the response is not a ticket', async () => {
    const { fake, client } = await start();
    fake.next('POST', TICKETS, { answer: { status: 200, body: '<html>' }, when: 'after' });
    const failure = await failureOf(client.doPart('ticket', facts(), first()));
    expect(failure).toMatchObject({ transient: true, mayHaveArrived: true });
  });
});

describe('a failed read from HubSpot', () => {
  it.each<[string, Fault]>([
    ['503', unavailable()],
    ['a cut connection', resetAfter],
  ])('has changed nothing: %s', async (_name, fault) => {
    const { fake, client } = await start();
    fake.next('GET', SCHEMA, fault);
    const failure = await failureOf(client.doPart('ticket', facts(), first()));
    expect(failure).toMatchObject({ transient: true, mayHaveArrived: false });
    expect(fake.crm.tickets).toEqual([]);
    expect(await client.doPart('ticket', facts(), first())).toMatchObject({ state: 'done' });
  });

  it.each([404, 405, 501])('finds nothing if a lookup answers %i', async (status) => {
    const { fake, client } = await start();
    fake.next('GET', '/crm/v3/objects/notes/9', refuses(status, 'nothing'));
    expect(await client.findNote('9')).toBeUndefined();
    fake.next('POST', '/crm/v3/objects/tickets/search', refuses(status, 'nothing'));
    expect(await client.doPart('ticket', facts(), again(31_000))).toMatchObject({ state: 'done' });
  });
});

describe('a HubSpot token', () => {
  it('is reported if HubSpot refuses it, and the failure is transient', async () => {
    const { fake, client, asked } = await start();
    fake.revoke(fake.accessToken);
    const failure = await failureOf(client.findNote('1'));
    expect(failure).toMatchObject({ transient: true, areCredentialsRefused: true, mayHaveArrived: false, status: 401 });
    expect(asked).toEqual(['request', `refuse ${fake.accessToken}`]);
    fake.restore(fake.accessToken);
    await client.findNote('1');
    expect(asked.slice(2)).toEqual(['request']);
    const { id } = fake.addNote({ hs_note_body: 'Hi' }, []);
    await client.findNote(id);
    expect(asked.slice(3)).toEqual(['request', 'confirm']);
  });
});

it('reserves from the rate limit for each call, and from the one of searches for searches', async () => {
  const { client, asked } = await start();
  await client.doPart('contact', facts(), first());
  expect(asked.filter((one) => one !== 'confirm')).toEqual(['search', 'request']);
});
