import { startApi, type TestApi } from '../../support/stack/api.ts';

const letters = (count: number) => 'x'.repeat(count);
const data = (keys: number, size: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: keys }, (_, i) => [`${prefix}${i}`, letters(size)]));

describe('a contact beyond the size limit', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('a contact beyond the size limit is rejected in one request and over several, and the stored contact stays unchanged', async () => {
    const tooMuch = await api.org.post('/contacts', {
      contact: { email: 'one@example.com', custom_data: data(20, 4000) },
    });
    expect([tooMuch.status, tooMuch.body.message]).toEqual([400, expect.stringContaining('65536 bytes')]);

    const { status, body } = await api.org.post('/contacts', {
      contact: { email: 'two@example.com', custom_data: data(10, 4000) },
    });
    expect(status).toBe(201);
    const more = await api.org.patch(`/contacts/${body.id}`, { contact: { custom_data: data(10, 4000, 'm') } });
    expect([more.status, more.body.message]).toEqual([400, expect.stringContaining('once merged')]);
    const kept = await api.org.get(`/contacts/${body.id}`);
    expect(Object.keys(kept.body.custom_data)).toHaveLength(10);
  });
});
