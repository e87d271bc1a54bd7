import { EXAMPLES } from '../../src/api/edge/documents/openapi-document/examples.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it.each([
  ['createEvalCase', '/autopilot/evals'],
  ['createSavedReply', '/saved-replies'],
])('what the document shows for %s can be sent, and is read as it was answered', async (operation, path) => {
  await api.org.put('/tags', { tag_name: 'refund' });
  const { team_id: _, ...shown } = (EXAMPLES[operation] as { request: Record<string, unknown> }).request; // its team is of another org
  const { status, body: made } = await api.org.post(path, shown);
  expect(status).toBe(201);
  expect(made).toMatchObject(shown);
  expect(await api.org.get(`${path}/${made.id}`)).toMatchObject({ status: 200, body: made });
});

it('a user of a back end gets a token for the widget, and its contact what is known of it', async () => {
  const user = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace', customData: { plan: 'pro' } };
  const { status, body } = await api.org.post('/widget/authenticate-user', user);
  expect([status, body]).toEqual([200, { token: expect.any(String), contact: { id: expect.any(String) } }]);
  const { body: contact } = await api.org.get(`/contacts/${body.contact.id}`);
  expect(contact).toMatchObject({ email: user.email, name: user.name, custom_data: user.customData });
});

it('a page of events has a note as it was written', async () => {
  const { body: session } = await api.org.post('/chat/sessions', {});
  await api.org.post(`/chat/sessions/${session.id}/notes`, { text: 'The customer called' });
  const { status, body } = await api.org.get('/events?type=human_agent_comment', {
    headers: { accept: 'application/json' },
  });
  expect([status, body.items.length, body.has_more]).toEqual([200, 1, false]);
  expect(body.items[0]).toMatchObject({ type: 'human_agent_comment', data: { session_id: session.id } });
  expect(JSON.stringify(body)).toContain('The customer called');
});
