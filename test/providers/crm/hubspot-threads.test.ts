import type { RelayedMessage } from '../../../src/providers/crm/port.ts';
import { errorAfter, type Fault, resetAfter, resetBefore } from '../../support/fakes/faulty-server.ts';
import { refuses } from '../../support/fakes/hubspot/server.ts';
import { APP_ID, EMAIL_CHANNEL, type NewMessage } from '../../support/fakes/hubspot/threads.ts';
import { again, first, startHubspotClient } from '../../support/hubspot-client.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function start(...settings: Parameters<typeof startHubspotClient>) {
  const started = await startHubspotClient(...settings);
  opened.push(started);
  const threadId = started.fake.openThread();
  const posted = () => started.fake.threads.get(threadId)?.filter(({ direction }) => direction === 'OUTGOING') ?? [];
  return { ...started, threadId, posted };
}

const reply = (conversationId: string, more: Partial<RelayedMessage> = {}): RelayedMessage => ({
  id: '01932b1c-5a00-7000-8000-000000000002',
  conversationId,
  text: 'It is <on> its way\nto you',
  attachments: [],
  ...more,
});

const email = (address: string) => ({ type: 'HS_EMAIL_ADDRESS', value: address });
const EMAIL: NewMessage = {
  channelId: EMAIL_CHANNEL,
  channelAccountId: '9',
  subject: 'My order',
  senders: [{ actorId: 'V-51', name: 'Ann', deliveryIdentifier: email('Ann@Example.com') }],
  recipients: [{ recipientField: 'TO', deliveryIdentifier: email('help@Shop.example') }],
};

describe('a message of a HubSpot thread', () => {
  it('is read with its author, channel and time', async () => {
    const { fake, client, threadId } = await start();
    const message = fake.addMessage(threadId, {
      ...EMAIL,
      text: 'Where is it?',
      createdAt: '2026-03-01T10:00:00.000Z',
    });
    expect(await client.findMessage(threadId, message.id)).toEqual({
      id: message.id,
      threadId,
      type: 'MESSAGE',
      isArchived: false,
      text: 'Where is it?',
      direction: 'INCOMING',
      actorId: 'V-51',
      senderName: 'Ann',
      senderEmail: 'ann@example.com',
      clientType: 'HUBSPOT',
      integrationAppId: null,
      channelId: EMAIL_CHANNEL,
      createdAt: new Date('2026-03-01T10:00:00.000Z'),
    });
  });

  it('has its full text, fetched separately if it was truncated', async () => {
    const { fake, client, threadId } = await start();
    const truncated = { text: 'Where', wholeText: 'Where is it?', truncationStatus: 'TRUNCATED_TO_MOST_RECENT_REPLY' };
    const { id } = fake.addMessage(threadId, truncated);
    expect(await client.findMessage(threadId, id)).toMatchObject({ text: 'Where is it?' });
    fake.next('GET', /original-content$/, refuses(404, 'none'));
    expect(await client.findMessage(threadId, id)).toMatchObject({ text: 'Where' });
  });

  it('is read even without text, sender or channel', async () => {
    const { fake, client, threadId } = await start();
    const { id } = fake.addMessage(threadId, {
      type: 'THREAD_STATUS_CHANGE',
      direction: undefined,
      senders: [],
      channelId: undefined,
      client: { clientType: 'INTEGRATION', integrationAppId: APP_ID },
    });
    expect(await client.findMessage(threadId, id)).toMatchObject({
      type: 'THREAD_STATUS_CHANGE',
      text: '',
      direction: null,
      actorId: null,
      senderEmail: null,
      channelId: null,
      clientType: 'INTEGRATION',
      integrationAppId: String(APP_ID),
    });
  });

  it('is undefined if it or its thread was deleted', async () => {
    const { client, threadId } = await start();
    expect(await client.findMessage(threadId, 'gone')).toBeUndefined();
    expect(await client.findMessage('1', 'gone')).toBeUndefined();
  });

  it('cannot change the request path by its id', async () => {
    const { fake, client } = await start();
    expect(await client.findMessage('../../../account-info', 'v3/details?')).toBeUndefined();
    expect(fake.requests('GET', '/account-info/v3/details')).toEqual([]);
  });
});

describe('a reply in a HubSpot thread', () => {
  it('uses the channel of the latest message, to its author, in the name of the AI user', async () => {
    const { fake, client, threadId } = await start();
    fake.addMessage(threadId, { channelAccountId: '1', createdAt: '2026-03-01T10:00:00.000Z' });
    fake.addMessage(threadId, EMAIL);
    fake.addMessage(threadId, { type: 'ASSIGNMENT', channelId: undefined });
    fake.addMessage(threadId, { archived: true });
    const { externalId } = await client.postMessage(reply(threadId), first());
    const [request] = fake.requests('POST');
    expect(request?.body).toEqual({
      type: 'MESSAGE',
      text: 'It is <on> its way\nto you',
      richText: 'It is &lt;on&gt; its way<br>to you',
      attachments: [],
      senderActorId: 'A-700',
      channelId: EMAIL_CHANNEL,
      channelAccountId: '9',
      subject: 'My order',
      recipients: [
        {
          recipientField: 'TO',
          actorId: 'V-51',
          deliveryIdentifier: email('Ann@Example.com'),
          deliveryIdentifiers: [email('Ann@Example.com')],
        },
      ],
    });
    expect(fake.threads.get(threadId)?.at(-1)?.id).toBe(externalId);
  });

  it('goes to the same recipients if the latest message is ours', async () => {
    const { fake, client, threadId } = await start();
    const parties = ['TO', 'CC'].map((recipientField) => ({
      recipientField,
      deliveryIdentifier: email(`${recipientField.toLowerCase()}@example.com`),
    }));
    fake.addMessage(threadId, { ...EMAIL, direction: 'OUTGOING', senders: [{ actorId: 'A-5' }], recipients: parties });
    await client.postMessage(reply(threadId), first());
    expect(fake.requests('POST')[0]?.body.recipients).toMatchObject(parties);
  });

  it('lists attachments as links', async () => {
    const { fake, client, threadId, posted } = await start();
    fake.addMessage(threadId);
    const attachments = [{ name: 'a<b>.pdf', url: 'https://desk.example.com/media/1?a=1&b=2' }];
    await client.postMessage(reply(threadId, { attachments }), first());
    expect(posted()[0]).toMatchObject({
      text: 'It is <on> its way\nto you\na<b>.pdf: https://desk.example.com/media/1?a=1&b=2',
      richText:
        'It is &lt;on&gt; its way<br>to you<br><a href="https://desk.example.com/media/1?a=1&amp;b=2">a&lt;b&gt;.pdf</a>',
    });
  });

  it('fails permanently without an AI user, without a channel, and without a thread', async () => {
    const { fake, client, withSettings, threadId } = await start();
    const refusal = (message: string) =>
      expect.objectContaining({ transient: false, message: expect.stringContaining(message) });
    await expect(client.postMessage(reply(threadId), first())).rejects.toEqual(refusal('by which channel'));
    await expect(client.postMessage(reply('1'), first())).rejects.toEqual(refusal('no thread 1'));
    fake.addMessage(threadId);
    const nobody = withSettings({ ai_user_id: undefined });
    await expect(nobody.postMessage(reply(threadId), first())).rejects.toEqual(refusal('ai_user_id'));
    expect(fake.requests('POST')).toEqual([]);
  });
});

describe("an e-mail's signature", () => {
  const signatures = [
    { domain: '*', html: '<p>Any</p>' },
    { domain: 'shop.example', html: '<p>The <b>shop</b></p><p>Main street 1</p>' },
  ];

  it.each<[string, NewMessage, string, string]>([
    ["is its domain's", EMAIL, 'The shop\n\nMain street 1', '<p>The <b>shop</b></p><p>Main street 1</p>'],
    [
      'is that of all where the domain is another',
      { ...EMAIL, recipients: [{ recipientField: 'TO', deliveryIdentifier: email('help@eu.shop.example') }] },
      'Any',
      '<p>Any</p>',
    ],
    [
      'goes by the address that we wrote from',
      { ...EMAIL, direction: 'OUTGOING', senders: [{ actorId: 'A-5', deliveryIdentifier: email('a@shop.example') }] },
      'The shop\n\nMain street 1',
      '<p>The <b>shop</b></p><p>Main street 1</p>',
    ],
  ])('%s', async (_name, origin, text, html) => {
    const { fake, client, threadId } = await start({ signatures });
    fake.addMessage(threadId, origin);
    await client.postMessage(reply(threadId, { text: 'Hello' }), first());
    expect(fake.requests('POST')[0]?.body).toMatchObject({
      text: `Hello\n\n${text}`,
      richText: `Hello<br><br>${html}`,
    });
  });

  it('is not appended to other messages', async () => {
    const { fake, client, threadId } = await start({ signatures });
    fake.addMessage(threadId);
    await client.postMessage(reply(threadId, { text: 'Hello' }), first());
    expect(fake.requests('POST')[0]?.body).toMatchObject({ text: 'Hello', richText: 'Hello' });
  });
});

describe('a reply possibly posted by an earlier try', () => {
  it.each<[string, Fault]>([
    ['a lost answer', resetAfter],
    ['a 502', errorAfter(502)],
  ])('is not posted again after %s', async (_name, fault) => {
    const { fake, client, threadId, posted } = await start({ signatures: [{ domain: '*', html: '<p>Bye</p>' }] });
    fake.addMessage(threadId, EMAIL);
    fake.next('POST', /messages$/, fault);
    await expect(client.postMessage(reply(threadId), first())).rejects.toMatchObject({
      transient: true,
      mayHaveArrived: true,
    });
    const { externalId } = await client.postMessage(reply(threadId), again());
    expect(posted().map(({ id }) => id)).toEqual([externalId]);
  });

  it('is found beyond a page of later messages', async () => {
    const { fake, client, threadId, posted } = await start();
    fake.addMessage(threadId);
    fake.next('POST', /messages$/, resetAfter);
    await expect(client.postMessage(reply(threadId), first())).rejects.toMatchObject({ transient: true });
    for (let n = 0; n < 150; n++) fake.addMessage(threadId, { text: `${n}` });
    await client.postMessage(reply(threadId), again());
    expect(posted()).toHaveLength(1);
  });

  it('is posted if it did not arrive', async () => {
    const { fake, client, threadId, posted } = await start();
    fake.addMessage(threadId);
    fake.next('POST', /messages$/, resetBefore);
    await expect(client.postMessage(reply(threadId), first())).rejects.toMatchObject({ transient: true });
    await client.postMessage(reply(threadId), again());
    expect(posted()).toHaveLength(1);
  });

  it.each<[string, NewMessage]>([
    ['older', { createdAt: new Date(Date.now() - 60_000).toISOString() }],
    ['by a person', { client: { clientType: 'HUBSPOT' } }],
    ['by another app', { client: { clientType: 'INTEGRATION', integrationAppId: 5 } }],
    ['a comment', { type: 'COMMENT' }],
    ['another text', { text: 'It is on its way' }],
  ])('is not confused with one that is %s', async (_name, other) => {
    const { fake, client, threadId, posted } = await start();
    fake.addMessage(threadId, EMAIL);
    const ours = { clientType: 'INTEGRATION', integrationAppId: APP_ID };
    fake.addMessage(threadId, { ...EMAIL, direction: 'OUTGOING', client: ours, text: reply('').text, ...other });
    await client.postMessage(reply(threadId), again());
    expect(posted()).toHaveLength(2);
  });
});

describe('a HubSpot note', () => {
  it('is read as text with its author and tickets', async () => {
    const { fake, client } = await start();
    fake.crm.owners.push({ id: '88', userId: 9, firstName: 'Bea', lastName: 'Jones', email: 'bea@example.com' });
    const time = '2026-03-01T10:00:00.000Z';
    const body = '<p>Call <b>them</b> &amp; wait</p><p>Tomorrow</p>';
    const { id } = fake.addNote({ hs_note_body: body, hs_timestamp: time, hubspot_owner_id: '88' }, ['1', '2', '1']);
    expect(await client.findNote(id)).toEqual({
      id,
      text: 'Call them & wait\n\nTomorrow',
      authorName: 'Bea Jones',
      ticketIds: ['1', '2'],
      createdAt: new Date(time),
    });
  });

  it('is by the user who created it if it has no owner', async () => {
    const { fake, client } = await start();
    fake.crm.owners.push({ id: '88', userId: 9, firstName: '', lastName: '', email: 'bea@example.com' });
    const { id } = fake.addNote({ hs_note_body: 'Hi', hs_created_by_user_id: '9' }, []);
    expect(await client.findNote(id)).toMatchObject({ authorName: 'bea@example.com', ticketIds: [], createdAt: null });
  });

  it('has no author name if owners may not be read', async () => {
    const { fake, client } = await start();
    const { id } = fake.addNote({ hs_note_body: 'Hi', hubspot_owner_id: '88' }, ['1']);
    expect(await client.findNote(id)).toMatchObject({ authorName: null, text: 'Hi' });
    fake.next('GET', '/crm/v3/owners/88', refuses(403, 'missing scope'));
    expect(await client.findNote(id)).toMatchObject({ authorName: null, text: 'Hi' });
  });
});
