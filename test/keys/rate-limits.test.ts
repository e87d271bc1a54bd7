import { type ApiOptions, startApi, type TestApi } from '../support/stack/api.ts';

const ORGS = '/partner/v1/orgs';
const LIMITS: ApiOptions['env'] = {
  RATE_LIMIT_STORE: 'postgres',
  RATE_LIMIT_STANDARD: '20',
  RATE_LIMIT_PARTNER: '12',
  RATE_LIMIT_LOGIN_LINKS: '5',
};
let api: TestApi;
/** A second process of the same installation. */
let second: TestApi;
beforeAll(async () => {
  api = await startApi({ env: LIMITS });
  second = await startApi({ env: LIMITS, databaseUrl: api.databaseUrl });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const count = (answers: { status: number }[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length;

describe('the rate limit of an org', () => {
  it('the rate limit of an org is exact over all processes, and each answer states the remaining requests', async () => {
    const org = await api.createOrg('Busy');
    const first = await api.client(org.key).get('/org');
    expect(first.headers.get('x-ratelimit-limit')).toBe('20');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('19');
    expect(Number(first.headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60);

    const answers = await Promise.all(times(40, (index) => (index % 2 ? api : second).client(org.key).get('/org')));

    expect(count(answers, 200)).toBe(19);
    expect(count(answers, 429)).toBe(21);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0');
  });

  it('the rate limit of an org does not affect other orgs, and is shared by all keys of an org', async () => {
    const org = await api.createOrg('Two keys');
    const another = await org.withScopes('org:read');
    const answers = await Promise.all(times(30, (index) => (index % 2 ? another : org).get('/org')));
    expect(count(answers, 200)).toBe(20);
    expect((await api.org.get('/org')).status).toBe(200);
  });

  it('the rate limit of an org is not used up by requests without a valid key', async () => {
    const org = await api.createOrg('Quiet');
    await Promise.all(times(30, () => api.client('nonsense').get('/org')));
    expect((await org.get('/org')).headers.get('x-ratelimit-remaining')).toBe('19');
  });
});

describe('the rate limits of a partner', () => {
  it('the rate limits of a partner are exact over all processes', async () => {
    const partner = await api.createPartner();
    const answers = await Promise.all(times(24, (index) => (index % 2 ? api : second).client(partner.key).get(ORGS)));
    expect(count(answers, 200)).toBe(12);
    expect(count(answers, 429)).toBe(12);
  });

  it('the rate limits of a partner include a separate limit for login links', async () => {
    const partner = await api.createPartner();
    const org = await api.createOrg('Org', partner);
    const link = (index: number) =>
      (index % 2 ? api : second).client(partner.key).post(`${ORGS}/${org.id}/login-links`, { email: 'a@b.example' });

    const answers = await Promise.all(times(8, link));

    expect(count(answers, 201)).toBe(5);
    expect(count(answers, 429)).toBe(3);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('5');
    expect((await partner.get(ORGS)).status).toBe(200);
  });
});
