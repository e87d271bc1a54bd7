import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  await api.org.patch('/org/settings', { csat: true });
});
afterAll(() => api.close());

const newSession = async (): Promise<string> => (await api.org.post('/chat/sessions', {})).body.id;
const close = (id: string, status = 'closed_resolved') => api.org.patch(`/chat/sessions/${id}`, { status });
const score = (session_id: string, score: unknown, comment?: string) =>
  api.org.post('/csat/scores', { session_id, score, comment });
const latest = (id: string) => api.org.get(`/csat/scores/session/${id}`);
const events = async (id: string): Promise<{ type: string }[]> =>
  (await api.org.get(`/chat/sessions/${id}/history`)).body.items.map(({ event }: { event: object }) => event);
const typesOf = async (id: string) => (await events(id)).map(({ type }) => type);
const announced = (id: string) =>
  api.db
    .selectFrom('outbox')
    .select('payload')
    .where('subject_id', '=', id)
    .where('type', '=', 'csat-score-submit')
    .execute();

describe('a request for a score', () => {
  it('a request for a score is sent to the customer on each resolution, and on nothing else', async () => {
    const id = await newSession();
    await close(id, 'closed_unresolved');
    expect(await typesOf(id)).toEqual(['status_changed']);
    await close(id);
    await close(id);
    await close(id, 'open');
    await close(id);
    expect((await typesOf(id)).filter((type) => type === 'csat_requested')).toHaveLength(2);
  });

  it('a request for a score is sent only if the org has turned it on', async () => {
    await api.org.patch('/org/settings', { csat: null });
    const id = await newSession();
    await close(id);
    expect(await typesOf(id)).toEqual(['status_changed']);
    await api.org.patch('/org/settings', { csat: true });
  });
});

describe('a CSAT score', () => {
  it('a CSAT score is one to five with a comment, is recorded in the history and announced', async () => {
    const id = await newSession();
    await close(id);
    expect((await latest(id)).status).toBe(404);
    const { status, body } = await score(id, 5, 'Quick <b>& kind</b>');
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        session_id: id,
        score: 5,
        comment: 'Quick <b>& kind</b>',
        channel: 'api',
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await latest(id)).body).toEqual(body);
    expect((await events(id)).at(-1)).toEqual({ type: 'csat_submitted', score: 5, content: 'Quick <b>& kind</b>' });
    expect(await announced(id)).toMatchObject([{ payload: { score_id: body.id, score: 5 } }]);
  });

  it('a CSAT score is unique per session and resolution, even with thirty concurrent requests', async () => {
    const id = await newSession();
    await close(id);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => score(id, (n % 5) + 1)));
    const given = (await latest(id)).body.score;
    expect(answers.filter(({ status }) => status === 201).every(({ body }) => body.score === given)).toBe(true);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(6); // the first one and its repetitions
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(24);
    expect(await announced(id)).toHaveLength(1);
    expect((await typesOf(id)).filter((type) => type === 'csat_submitted')).toHaveLength(1);

    await close(id, 'open');
    expect((await score(id, given === 1 ? 2 : 1)).status).toBe(409); // the last resolution has a score already
    await close(id);
    expect((await score(id, 3)).status).toBe(201);
    expect((await latest(id)).body.score).toBe(3);
    expect(await announced(id)).toHaveLength(2);
  });

  it('a CSAT score is refused before a resolution', async () => {
    const id = await newSession();
    expect((await score(id, 3)).status).toBe(409);
    await close(id, 'closed_unresolved');
    expect((await score(id, 3)).body.message).toMatch(/not resolved/);
  });

  it('a CSAT score is refused with a reason if it is invalid', async () => {
    const id = await newSession();
    await close(id);
    for (const wrong of [0, 6, -1, 1.5, '5', null, undefined, [], 1e9]) {
      const { status, body } = await score(id, wrong);
      expect([status, body.issues[0].path]).toEqual([400, 'body.score']);
    }
    expect((await score(id, 5, 'x'.repeat(5_001))).status).toBe(400);
    expect((await score(crypto.randomUUID(), 5)).status).toBe(404);
    expect((await latest(id)).status).toBe(404);
  });

  it('another org cannot read or submit a CSAT score', async () => {
    const id = await newSession();
    await close(id);
    expect((await api.other.post('/csat/scores', { session_id: id, score: 1 })).status).toBe(404);
    await score(id, 5);
    expect((await api.other.get(`/csat/scores/session/${id}`)).status).toBe(404);
  });
});
