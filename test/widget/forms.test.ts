import { askForConfirmation, decideConfirmation } from '../../src/ai/confirmations/service.ts';
import { addAiMessage } from '../../src/conversations/ai/service.ts';
import { lockSession } from '../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { messagesOf, newAnsweringOrg, QUESTION } from '../ai/answering-org.ts';
import { addTurn, newAction, proposed } from '../ai/calls/calling.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { unverified, type Widget } from './client.ts';

let stack: Stack;
let shop: FakeProvider;
let org: TestOrg;
let widget: Widget;
let sessionId: string;

beforeAll(async () => {
  stack = await startStack({ env: FAKES_ALLOWED });
  shop = await startFakeProvider();
});
afterAll(async () => {
  await shop.close();
  await stack.close();
});
beforeEach(async () => {
  shop.calls.length = 0;
  org = await newAnsweringOrg(stack, { articles: [] });
  widget = await unverified(stack, org);
  sessionId = await widget.newSession();
});

interface Form {
  callId: string;
  sessionId: string;
  formMessageId: string;
  actionId: string;
}

/** Has the AI show a form for an action, as a turn does, and finds it as the widget does. */
async function showForm(fields: object = {}, isForm = true): Promise<Form> {
  const turn = await addTurn(stack.db, org, sessionId);
  const action = await newAction(org, shop.url, { require_form_submission: isForm, ...fields });
  const call = await proposed(stack.db, turn, action);
  await inTransaction(stack.db, async (trx) => {
    const session = await lockSession(trx, org.id, sessionId);
    const id = newId();
    const terms = { publicUrl: stack.url, language: 'en', format: 'markdown' as const, messageId: id };
    const asked = await askForConfirmation(trx, org.id, call, terms);
    if (asked === undefined) throw new Error('The call does not wait');
    const { text, confirmation } = asked;
    const message = { id, text, agent: 'extractive-1', turnId: call.turn_id, citations: [], calls: [], confirmation };
    await addAiMessage(trx, stack.deps.sending, org.id, session, message);
  });
  const { publicId, confirmation } = (await widget.poll(sessionId)).history.at(-1);
  expect(confirmation?.form_action_id).toBe(isForm ? action : undefined);
  return { callId: call.id, sessionId, formMessageId: publicId, actionId: action };
}

const GIVEN = { order: 'B-2', amount: 5 };
const submit = (
  { callId: _, ...form }: Form,
  request: object | null = { bodyParams: GIVEN },
  { by = widget, headers = {} as Record<string, string> } = {},
) => by.post('action/execute', { ...form, ...(request && { request }) }, headers);
const messageOf = async (answer: ReturnType<typeof submit>) => {
  const { status, body } = await answer;
  return [status, body.error?.message];
};
const bodies = () => shop.calls.map(({ body }) => JSON.parse(body));
const callOf = async (form: Form) =>
  (await org.get(`/autopilot/calls?session_id=${sessionId}`)).body.items.find(
    ({ id }: { id: string }) => id === form.callId,
  );
const told = (text: string) =>
  eventually(`the message “${text}”`, async () =>
    (await messagesOf(org, sessionId)).some(({ content }) => content.text === text),
  );

describe('a form of the widget', () => {
  it('calls its action with the visitor’s values, as a call of the AI, and answers what came back', async () => {
    const form = await showForm();
    shop.next({ status: 201, body: { refund: 4711 } });
    const { status, body } = await submit(form);
    expect([status, body]).toEqual([200, { action: { response: { refund: 4711 } } }]);
    expect(bodies()).toEqual([GIVEN]);
    expect(shop.calls[0]?.headers['idempotency-key']).toBe(form.callId);
    expect(await callOf(form)).toMatchObject({
      state: 'done',
      needs_because: 'form',
      confirmed_by: 'widget',
      arguments: { body_params: GIVEN },
    });
    await told('This has been done.');
  });

  it('without values calls it as the AI has asked', async () => {
    for (const request of [null, {}, { bodyParams: {}, headers: {} }]) {
      const form = await showForm();
      expect((await submit(form, request)).status).toBe(200);
      expect(bodies()).toEqual([{ order: 'A-1', amount: 20 }]);
      shop.calls.length = 0;
      sessionId = await widget.newSession();
    }
  });

  it('is submitted once, whatever is repeated, at once or later, with whatever key', async () => {
    const form = await showForm();
    shop.next({ status: 200, body: { refund: 1 } }, { status: 200, body: { refund: 2 } });
    const headers = { 'idempotency-key': 'one' };
    const both = await Promise.all([
      submit(form, undefined, { headers }),
      submit(form, undefined, { headers }),
      submit(form),
    ]);
    const later = await submit(form, { bodyParams: { amount: 5, order: 'B-2' } });
    const first = { status: 200, body: { action: { response: { refund: 1 } } } };
    for (const answer of [...both, later]) expect(answer).toMatchObject(first);
    expect(await messageOf(submit(form, { bodyParams: { order: 'C-3' } }))).toEqual([
      409,
      expect.stringContaining('with other values'),
    ]);
    expect(bodies()).toEqual([GIVEN]);
  });

  it('with two different values at once takes one of them', async () => {
    const form = await showForm();
    const answers = await Promise.all(['B-2', 'C-3'].map((order) => submit(form, { bodyParams: { order } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(shop.calls).toHaveLength(1);
  });

  it('whose action is slow says so, and gives the answer to the same request later', async () => {
    const form = await showForm();
    let letGo = () => {};
    const after = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    shop.next({ status: 200, body: { refund: 7 }, after });
    const waiting = await submit(form, undefined, { headers: { prefer: 'wait=0' } });
    expect([waiting.status, waiting.body.error.message]).toEqual([503, expect.stringContaining('still under way')]);
    letGo();
    expect((await submit(form)).body).toEqual({ action: { response: { refund: 7 } } });
    expect(shop.calls).toHaveLength(1);
  });

  it('shows nothing that overrides have added to the request', async () => {
    const headers = { authorization: 'Bearer sk-very-secret', 'x-tenant': 'tenant-4711' };
    await org.patch('/org/settings', { http_action_overrides: { hosts: [shop.url], headers } });
    const form = await showForm();
    shop.next({
      status: 200,
      body: { echo: ['tenant-4711', { token: 'sk-very-secret' }], note: 'of tenant-4711', n: 1 },
    });
    const { body } = await submit(form);
    expect(shop.calls[0]?.headers.authorization).toBe(headers.authorization);
    expect(body.action.response).toEqual({ echo: ['[hidden]', { token: '[hidden]' }], note: 'of [hidden]', n: 1 });
  });

  it.each([
    [{ status: 422 }, 422, 'nothing was done', 'failed'],
    [{ status: 503 }, 409, 'It is not known', 'unknown'],
  ])('whose action answers %o is a %i, and is not called again', async (answer, status, message, state) => {
    const form = await showForm();
    shop.next(answer);
    for (const _ of [1, 2]) expect(await messageOf(submit(form))).toEqual([status, expect.stringContaining(message)]);
    expect([shop.calls.length, (await callOf(form)).state]).toEqual([1, state]);
  });
});

describe('no action is called', () => {
  const expectNoCall = async (form: Form, state = 'needs_confirmation') => {
    expect([shop.calls.length, (await callOf(form)).state]).toEqual([0, state]);
  };

  it('by the form of another visitor, another session or another organization', async () => {
    const form = await showForm();
    const stranger = await unverified(stack, org);
    const foreign = await unverified(stack, stack.other);
    const own = await stranger.newSession();
    const answers = [
      await submit(form, undefined, { by: stranger }),
      await submit({ ...form, sessionId: own }, undefined, { by: stranger }),
      await submit({ ...form, sessionId: await widget.newSession() }),
      await submit(form, undefined, { by: foreign }),
      await submit({ ...form, formMessageId: newId() }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await stack.client().post('/backend/widget/v2/action/execute', form)).status).toBe(401);
    await expectNoCall(form);
  });

  it('by a message that shows no form, and for another action than the form’s', async () => {
    await widget.send(sessionId, QUESTION);
    const form = await showForm();
    const { publicId } = (await widget.poll(sessionId)).history[0];
    expect((await submit({ ...form, formMessageId: publicId })).status).toBe(404);
    const other = await newAction(org, shop.url, { name: 'Delete all', operation_id: 'delete_all' });
    const wrong = await submit({ ...form, actionId: other });
    expect([wrong.status, wrong.body.error.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'body.actionId' })],
    ]);
    await expectNoCall(form);
  });

  it('by a question for yes or no', async () => {
    const form = await showForm({ confirm: 'always' }, false);
    expect(await messageOf(submit(form))).toEqual([409, expect.stringContaining(`POST confirmations/${form.callId}`)]);
    await expectNoCall(form);
  });

  it('over the limits before an agent approves it', async () => {
    const form = await showForm({ limits: { '>': [{ var: 'body_params.amount' }, 100] } });
    const request = { bodyParams: { order: 'B-2', amount: 500 } };
    for (const given of [request, { bodyParams: GIVEN }])
      expect(await messageOf(submit(form, given))).toEqual([409, expect.stringMatching(/agent/)]);
    await expectNoCall(form);
    expect((await org.post(`/autopilot/confirmations/${form.callId}/confirm`)).status).toBe(200);
    expect((await submit(form, request)).body).toEqual({ action: { response: {} } });
    expect(bodies()).toEqual([request.bodyParams]);
  });

  it('after it was rejected, and after its time', async () => {
    const rejected = await showForm();
    expect((await widget.post(`confirmations/${rejected.callId}`, { decision: 'reject' })).status).toBe(200);
    expect(await messageOf(submit(rejected))).toEqual([409, expect.stringContaining('rejected')]);
    sessionId = await widget.newSession();
    const late = await showForm();
    await stack.db
      .updateTable('ai_calls')
      .set({ expires_at: new Date(0) })
      .where('id', '=', late.callId)
      .execute();
    expect((await submit(late)).status).toBe(410);
    expect(shop.calls).toEqual([]);
  });

  it('after people have taken the session over, or where the AI was turned off before it could', async () => {
    const form = await showForm();
    await org.patch('/autopilot', { channel: 'web', autopilot_enabled: false });
    expect((await submit(form)).status).toBe(409);
    await expectNoCall(form);
    await org.patch('/autopilot', { channel: 'web', autopilot_enabled: true });
    await inTransaction(stack.db, async (trx) => {
      await decideConfirmation(trx, org.id, form.callId, { decision: 'confirm', by: 'widget' });
      await trx.updateTable('autopilot').set({ autopilot_enabled: false }).where('org_id', '=', org.id).execute();
    });
    expect((await submit(form, {})).status).toBe(410);
    await expectNoCall(form, 'expired');
  });

  it('again where the worker was killed while it called: the outcome is unknown', async () => {
    const form = await showForm();
    await inTransaction(stack.db, async (trx) => {
      await decideConfirmation(trx, org.id, form.callId, { decision: 'confirm', by: 'widget' });
      const left = { state: 'running' as const, tries: 1, started_at: new Date(), leased_until: new Date(0) };
      await trx.updateTable('ai_calls').set(left).where('id', '=', form.callId).execute();
    });
    expect(await messageOf(submit(form, {}))).toEqual([409, expect.stringContaining('It is not known')]);
    await expectNoCall(form, 'unknown');
  });

  it('with bad values, which are a 400 that names them', async () => {
    const form = await showForm();
    for (const [request, path] of [
      [{ bodyParams: { order: 7 } }, 'body.request.bodyParams.order'],
      [{ bodyParams: { amount: 7 } }, 'body.request.bodyParams'],
      [{ bodyParams: { order: 'a\0' } }, 'body.request.bodyParams.order'],
      [{ bodyParams: GIVEN, queryParams: { admin: 'true' } }, 'body.request.queryParams.admin'],
      [{ bodyParams: GIVEN, headers: { authorization: 'mine' } }, 'body.request.headers.authorization'],
      [{ bodyParams: GIVEN, pathParams: 'x' }, 'body.request.pathParams'],
      [{ bodyParams: { order: 'x'.repeat(70_000) } }, 'body.request'],
      ['x', 'body.request'],
    ] as const) {
      const { status, body } = await submit(form, request as object);
      expect([status, body.error?.issues?.[0].path]).toEqual([400, path]);
    }
    await expectNoCall(form);
  });
});
