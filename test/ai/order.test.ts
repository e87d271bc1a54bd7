import { newId } from '../../src/ids.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { newAction, newTurn, proposed } from './calls/calling.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  const { org, db } = api;
  const action = await newAction(org, 'https://shop.example.com');
  for (let nth = 0; nth < 3; nth++) {
    await proposed(db, await newTurn(api, org), action);
    const run = { settings: 'draft', started_by: 'api', state: 'done', config: '{}' } as const;
    await db
      .insertInto('ai_eval_runs')
      .values({ org_id: org.id, id: newId(), ...run, ended_at: new Date() })
      .execute();
  }
});
afterAll(() => api.close());

it.each(['/autopilot/turns', '/autopilot/calls', '/autopilot/evals/runs'])(
  '%s lists the oldest first, or the newest, page by page',
  async (path) => {
    const ids = async (query: string): Promise<string[]> => {
      const { body } = await api.org.get(`${path}?${query}`);
      const found = body.items.map(({ id }: { id: string }) => id);
      return body.next === null ? found : [...found, ...(await ids(`${query}&cursor=${body.next}`))];
    };
    const oldest = await ids('limit=2');
    expect(oldest).toHaveLength(3);
    expect(oldest).toEqual(oldest.toSorted());
    expect(await ids('limit=2&order=newest')).toEqual(oldest.toReversed());
    expect((await api.org.get(`${path}?order=desc`)).status).toBe(400);
  },
);
