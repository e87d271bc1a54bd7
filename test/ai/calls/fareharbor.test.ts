import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeFareHarbor, startFakeFareHarbor } from '../../support/fakes/fareharbor.ts';
import { type FakeModel, startFakeModel } from '../../support/fakes/model.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newAnsweringOrg } from '../answering-org.ts';

let stack: Stack;
let model: FakeModel;
let fareHarbor: FakeFareHarbor;
beforeAll(async () => {
  model = await startFakeModel();
  fareHarbor = await startFakeFareHarbor();
  stack = await startStack({ env: { ...FAKES_ALLOWED, FAREHARBOR_BASE_URL: fareHarbor.url } });
});
afterAll(async () => {
  await stack.close();
  await model.close();
  await fareHarbor.close();
});

/** What the model calls in turn, by the number of receipts it has. */
const CALLS = [
  {
    tool: /^fareharbor_boats_list_availabilities$/,
    arguments: { path_params: { item_pk: 1867, start_date: '2027-06-22', end_date: '2027-06-23' } },
  },
  {
    tool: /^fareharbor_boats_book$/,
    arguments: {
      path_params: { availability_pk: 4786 },
      body_params: {
        contact: { name: 'Ann', phone: '+14155550100', email: 'ann@example.com' },
        customers: [{ customer_type_rate: 65675 }, { customer_type_rate: 65675 }],
      },
    },
  },
];

it('the AI finds a tour and books it once the customer has confirmed, and never sees a key', async () => {
  model.say(({ isPlan, data, tools }) => {
    const next = CALLS[data.receipts?.length ?? 0];
    const name = next && tools.find((tool) => next.tool.test(tool));
    if (isPlan && next !== undefined && name !== undefined) return { calls: [{ name, arguments: next.arguments }] };
    if (isPlan) return { json: { language: 'en', queries: [] } };
    const receipt = data.receipts?.at(-1)?.receipt;
    return { json: { kind: 'answer', language: 'en', covers: 'fully', parts: [{ text: 'It is booked.', receipt }] } };
  });
  const org = await newAnsweringOrg(stack);
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
  const keys = { app_key: 'secret-app-key', user_key: 'good-user-key' };
  const connections = [
    { ...keys, name: 'Boats', default_company_shortname: 'seatours' },
    { ...keys, name: 'Bikes' },
  ];
  expect((await org.put('/integrations/fareharbor', { connections })).status).toBe(200);

  const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  const say = (text: string) =>
    org.post(
      `/chat/sessions/${id}/send`,
      { sender: 'contact', message: { type: 'text', text } },
      { headers: { prefer: 'wait=0' } },
    );
  const turns = (count: number) =>
    eventually(`${count} ended turns`, async () => {
      const { items } = (await org.get(`/chat/sessions/${id}/turns`)).body;
      return (
        items.length === count && items.every((turn: { ended_at: string | null }) => turn.ended_at !== null) && items
      );
    });
  await say('Two places on the jet ski tour on 22 June 2027 please. I am Ann, +14155550100, ann@example.com');
  await turns(1);
  expect(fareHarbor.bookings).toEqual([]);
  const waiting = (await org.get('/autopilot/confirmations')).body.items;
  expect(waiting).toMatchObject([{ operation_id: 'fareharbor_boats_book', needs: 'customer' }]);
  await say('yes');
  await turns(2);
  expect(fareHarbor.bookings).toMatchObject([{ company: 'seatours', availability: 4786, customers: [{}, {}] }]);
  expect(fareHarbor.calls.slice(2).every(({ userKey }) => userKey === 'good-user-key')).toBe(true);

  const history = await stack.temporal.workflow.getHandle(`ai-turn/${id}`).fetchHistory();
  const seen = JSON.stringify([
    model.asked,
    history,
    await turns(2),
    await messagesOf(org, id),
    (await org.get(`/autopilot/calls?session_id=${id}`)).body,
    (await org.get('/actions')).body,
  ]);
  expect(seen).not.toMatch(/secret-app-key|good-user-key/);
  const rows = await stack.db.selectFrom('ai_calls').selectAll().where('org_id', '=', org.id).execute();
  expect([rows.length, JSON.stringify(rows)]).toEqual([2, expect.not.stringMatching(/secret-app-key|good-user-key/)]);
});
