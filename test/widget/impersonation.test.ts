import { SignJWT } from 'jose';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { unverified, verified, type Widget, widgetOf } from './client.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const anEmail = () => `${crypto.randomUUID()}@example.com`;

/** Every request for a session. Each must be answered as if the session did not exist. */
async function reachAll(widget: Widget, id: string, messageId: string): Promise<void> {
  const attempts = await Promise.all([
    widget.get(`poll/${id}`),
    widget.send(id, 'I am in'),
    widget.post('session/resolve', { session_id: id }),
    widget.post('checkpoint', { session_id: id, payload: 1 }),
    widget.post('submit-csat', { session_id: id, score: 1 }),
    widget.post('chat/vote', { action: 'upvote', sessionId: id, messagePublicId: messageId }),
  ]);
  const nobodys = await widget.get(`poll/${crypto.randomUUID()}`);
  expect(nobodys).toMatchObject({ status: 404, body: { success: false, error: { code: 'not_found' } } });
  for (const { status, body } of attempts) expect([status, body]).toEqual([404, nobodys.body]);
  const { items } = (await widget.get('sessions')).body;
  expect(items.map((session: { id: string }) => session.id)).not.toContain(id);
}

async function sessionWithMessage(widget: Widget) {
  const id = await widget.newSession({ external_id: 'shared-device' });
  const uuid = crypto.randomUUID();
  await widget.send(id, 'My secret', { uuid });
  return { id, uuid };
}
const stateOf = async (id: string) => [
  (await api.org.get(`/chat/sessions/${id}`)).body,
  (await api.org.get(`/chat/sessions/${id}/history`)).body,
];

describe('a visitor claiming the e-mail of somebody else', () => {
  it('gets a separate contact, and neither sees nor changes the sessions and data of its owner', async () => {
    const email = anEmail();
    const { widget: ada, contactId } = await verified(api, api.org, email, {
      name: 'Ada',
      customData: { plan: 'pro' },
    });
    const { id, uuid } = await sessionWithMessage(ada);
    const before = await stateOf(id);
    const contact = (await api.org.get(`/contacts/${contactId}`)).body;

    const claims = { email, non_verified_name: 'Eve', non_verified_custom_data: { plan: 'none', email, contactId } };
    const eve = await unverified(api, api.org, claims);
    await reachAll(eve, id, uuid);
    const filters = encodeURIComponent(JSON.stringify({ external_id: 'shared-device' }));
    expect((await eve.get(`sessions?filters=${filters}`)).body.items).toEqual([]);

    expect(await stateOf(id)).toEqual(before);
    expect((await api.org.get(`/contacts/${contactId}`)).body).toEqual(contact);
  });

  it('before its owner arrives neither blocks the owner nor sees their conversations', async () => {
    const email = anEmail();
    const eve = await unverified(api, api.org, { email, non_verified_custom_data: { plan: 'none' } });
    const evil = await sessionWithMessage(eve);

    const { widget: ada, contactId } = await verified(api, api.org, email, { name: 'Ada' });
    expect((await api.org.get(`/contacts/${contactId}`)).body).toMatchObject({ email, name: 'Ada', custom_data: {} });
    const good = await sessionWithMessage(ada);
    await reachAll(eve, good.id, good.uuid);
    await reachAll(ada, evil.id, evil.uuid);
  });

  it('stays separate even if an agent adds the e-mail to their contact', async () => {
    const email = anEmail();
    const eve = await unverified(api, api.org);
    const evil = await sessionWithMessage(eve);
    const evesContact = (await api.org.get(`/chat/sessions/${evil.id}`)).body.contact.id;
    await api.org.patch(`/contacts/${evesContact}`, { contact: { email } });

    const { widget: ada, contactId } = await verified(api, api.org, email);
    expect(contactId).toBe(evesContact); // both are the same contact now
    const good = await sessionWithMessage(ada);
    await reachAll(eve, good.id, good.uuid);
    await reachAll(ada, evil.id, evil.uuid);
    const byApi = (
      await api.org.post('/chat/sessions', { contact_id: contactId, channel: { type: 'web' }, verified: false })
    ).body;
    await reachAll(eve, byApi.id, good.uuid);
    expect((await eve.poll(evil.id)).session.id).toBe(evil.id);
    expect((await ada.poll(good.id)).session.id).toBe(good.id);
  });

  it('is kept apart from other channels: a widget shows only web sessions of its contact', async () => {
    const { widget, contactId } = await verified(api, api.org, anEmail());
    const make = async (type: string) =>
      (await api.org.post('/chat/sessions', { contact_id: contactId, channel: { type } })).body.id;
    await reachAll(widget, await make('email'), crypto.randomUUID());
    expect((await widget.poll(await make('web'))).session.channel).toBe('web');
  });

  it('cannot find the sessions of another visitor by external_id', async () => {
    const ada = await unverified(api, api.org, { non_verified_name: 'Ada' });
    const { id, uuid } = await sessionWithMessage(ada);
    const eve = await unverified(api, api.org, { non_verified_name: 'Ada' });
    await eve.newSession({ external_id: 'shared-device' });
    await reachAll(eve, id, uuid);
  });
});

describe('a user verified by the org with the phone number of another contact', () => {
  const aNumber = () => `+1206555${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}`;

  it('gets neither their contact nor their conversations, and their e-mail stays theirs', async () => {
    const phone = aNumber();
    const email = anEmail();
    const { widget: bob, contactId } = await verified(api, api.org, email, { name: 'Bob', phone });
    const { id } = await sessionWithMessage(bob);
    const before = (await api.org.get(`/contacts/${contactId}`)).body;
    const own = anEmail();

    const refused = await api.org.post('/widget/authenticate-user', { email: own, name: 'Ada', phone });
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('phone') } });
    expect((await api.org.get(`/contacts/${contactId}`)).body).toEqual(before);
    expect((await api.org.get(`/contacts?email=${encodeURIComponent(own)}`)).body.items).toEqual([]);

    const { widget: ada, contactId: adasId } = await verified(api, api.org, own, { name: 'Ada' });
    expect(adasId).not.toBe(contactId);
    await reachAll(ada, id, crypto.randomUUID());
  });

  it('does not become a contact that has only the number', async () => {
    const phone = aNumber();
    const { body } = await api.org.post('/contacts', { contact: { phone } });
    const refused = await api.org.post('/widget/authenticate-user', { email: anEmail(), phone });
    expect(refused.status).toBe(409);
    expect((await api.org.get(`/contacts/${body.id}`)).body).toMatchObject({ email: null, phone_number: phone });
  });
});

describe('a widget token of a contact', () => {
  const signed =
    (change: object = {}, header: object = {}, secret = api.config.JWT_SECRET) =>
    async (id: string) =>
      new SignJWT({ sub: api.org.id, jti: id, iss: 'switchboard', aud: 'contact-api', ...change })
        .setProtectedHeader({ alg: 'HS256', typ: 'contact-key+jwt', ...header })
        .sign(Buffer.from(secret));

  it('is refused if it is forged, of another kind, for another org, or expired', async () => {
    const { widget, contactId } = await verified(api, api.org, anEmail());
    const { id } = await api.db
      .selectFrom('widget_visitors')
      .select('id')
      .where('contact_id', '=', contactId)
      .executeTakeFirstOrThrow();
    expect((await widgetOf(api, api.org, await signed()(id)).get('sessions')).status).toBe(200);

    const { token: foreign } = await unverified(api, api.other);
    const wrong = [
      undefined,
      'null',
      'a.b.c',
      api.org.key,
      api.org.widgetToken,
      foreign,
      await signed({}, {}, 'another secret, which is long enough too')(id),
      await signed({}, { typ: 'org-key+jwt' })(id),
      await signed({ aud: 'org-api' })(id),
      await signed({ exp: 1 })(id),
      await signed({ sub: api.other.id })(id),
      await signed()(contactId),
      await signed()(crypto.randomUUID()),
    ];
    for (const token of wrong) {
      const { status, body, headers } = await widgetOf(api, api.org, token).get('sessions');
      expect(`${token} ${status}`).toBe(`${token} 401`);
      expect(body).toEqual({
        success: false,
        error: { code: 'unauthorized', message: expect.stringMatching(/token/) },
      });
      expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    }
    for (const bot of [{ ...api.org, widgetToken: 'nonsense' }, { ...api.org, widgetToken: '' }, api.other]) {
      expect((await widgetOf(api, bot, widget.token).get('sessions')).status).toBe(401);
    }
  });

  it('gives no access to the API of the organization', async () => {
    const { widget } = await verified(api, api.org, anEmail());
    expect((await api.client(widget.token).get('/contacts')).status).toBe(401);
    expect((await api.client(widget.token).get('/partner/v1/orgs')).status).toBe(401);
  });

  it('expires after 30 days if verified, after a year if not, and at once when its contact is deleted', async () => {
    const { widget, contactId } = await verified(api, api.org, anEmail());
    const stranger = await unverified(api, api.org);
    const daysOf = ({ token = '' }: Widget) => {
      const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      return (exp - iat) / 86_400;
    };
    expect([daysOf(widget), daysOf(stranger)]).toEqual([30, 365]);
    const id = await widget.newSession();
    expect((await api.org.delete(`/contacts/${contactId}`)).status).toBe(200);
    expect((await widget.get(`poll/${id}`)).status).toBe(401);
    expect((await api.org.get(`/chat/sessions/${id}`)).status).toBe(200);
  });

  it('is issued only to keys with the scope widget:write', async () => {
    const others = await api.org.withScopes('widget:read', 'contacts:write');
    expect((await others.post('/widget/authenticate-user', { email: anEmail() })).status).toBe(403);
  });
});

describe('the widget of another org', () => {
  it('reaches no session of this org, with any of its tokens and known ids', async () => {
    const { widget } = await verified(api, api.org, anEmail());
    const { id, uuid } = await sessionWithMessage(widget);
    const before = await stateOf(id);
    await reachAll((await verified(api, api.other, anEmail())).widget, id, uuid);
    await reachAll(await unverified(api, api.other), id, uuid);
    expect(await stateOf(id)).toEqual(before);
  });
});
