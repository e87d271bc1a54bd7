import { sql } from 'kysely';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const search = (q: string, more: Record<string, string> = {}, org: TestOrg = api.org) =>
  org.get(`/chat/sessions/search?${new URLSearchParams({ q, ...more })}`);
const messages = async (q: string, more: Record<string, string> = {}): Promise<string[]> => {
  const { status, body } = await search(q, more);
  expect([q, status]).toEqual([q, 200]);
  return body.messages.map(({ message }: { message: string }) => message);
};
const contacts = async (q: string, more: Record<string, string> = {}): Promise<(string | null)[]> =>
  (await search(q, more)).body.contacts.map(({ name }: { name: string | null }) => name);

const newContact = async (contact: object, org: TestOrg = api.org): Promise<string> =>
  (await org.post('/contacts', { contact })).body.id;
async function newSession(contact_id?: string, org: TestOrg = api.org): Promise<string> {
  return (await org.post('/chat/sessions', { contact_id })).body.id;
}
async function say(id: string, text: string, sender = 'contact', org: TestOrg = api.org): Promise<void> {
  expect((await org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } })).status).toBe(201);
}
const languageOf = async (id: string) => (await api.other.get(`/chat/sessions/${id}`)).body.language;

describe('the language of a session', () => {
  it.each([
    ['Where is my order? I have been waiting for a week.', 'en'],
    ['Wo ist meine Bestellung? Ich warte seit einer Woche.', 'de'],
    ['Où est ma commande ? Je l’attends depuis une semaine.', 'fr'],
    ['我的订单在哪里？', 'zh'],
    ['注文はどこですか？', 'ja'],
    ['أين طلبي؟ أنا أنتظر منذ أسبوع', 'ar'],
    ['Где мой заказ? Я жду уже неделю.', 'ru'],
    ['Hi', null],
    ['Order 12345', null],
    ['👍', null],
    ['?', null],
  ])('is detected from %j as %j', async (text, language) => {
    const id = await newSession(undefined, api.other);
    await say(id, text, 'contact', api.other);
    expect(await languageOf(id)).toBe(language);
  });

  it('is detected from the first clear message of the contact, and then stays', async () => {
    const id = await newSession(undefined, api.other);
    await say(id, 'Guten Tag, wie kann ich Ihnen heute helfen?', 'agent', api.other);
    expect(await languageOf(id)).toBeNull();
    await say(id, 'Hi', 'contact', api.other);
    await say(id, 'Je voudrais annuler ma réservation, merci.', 'contact', api.other);
    expect(await languageOf(id)).toBe('fr');
    await say(id, 'Or shall I rather speak English with you today?', 'contact', api.other);
    expect(await languageOf(id)).toBe('fr');
  });
});

describe('a search for words', () => {
  const texts = {
    en: 'Hello, I was refunded twice for my two reservations at the Café Müller',
    de: 'Ich hätte gerne die Rechnungen für meine Buchungen, die Straße ist falsch',
    fr: "J'ai besoin de l'été, les chevaux étaient très beaux là-bas",
    zh: '你好，我的订单在哪里？我上周买了iPhone手机。',
    ja: 'ご注文の商品はどこですか、パスワードを忘れました',
    th: 'สินค้าของฉันอยู่ที่ไหน กรุณาตรวจสอบ',
    ko: '안녕하세요 주문이 어디에 있나요',
    ar: 'مرحبا، أَيْنَ الطلبات الخاصة بي من فضلك؟',
    he: 'שלום, איפה ההזמנה שלי? אני מחכה כבר שבוע',
    hi: 'नमस्ते, मेरी शिकायत कब दर्ज होगी',
    ru: 'Здравствуйте, где мои заказы и посылки?',
    code: "Error AB-1234/x at https://shop.example/cart?id=77, mail ann.lee@shop.example — don't retry",
  };
  beforeAll(async () => {
    for (const text of Object.values(texts)) await say(await newSession(), text);
  });

  it.each([
    ['refunded', 'en'],
    ['REFUND', 'en'],
    ['refunds reservation', 'en'],
    ['reserv', 'en'],
    ['cafe muller', 'en'],
    ['Cafe\u0301 MU\u0308LLER', 'en'],
    ['"refunded twice"', 'en'],
    ['refunded -voucher', 'en'],
    ['where are my refunds', 'en'],
    ['I was', 'en'],
    ['rechnung buchung', 'de'],
    ['strasse', 'de'],
    ['ete', 'fr'],
    ['L’ÉTÉ', 'fr'],
    ['cheval chevaux', 'fr'],
    ['订单', 'zh'],
    ['我的订单', 'zh'],
    ['单', 'zh'],
    ['iphone', 'zh'],
    ['iPhone手机', 'zh'],
    ['ＩＰＨＯＮＥ', 'zh'],
    ['注文 商品', 'ja'],
    ['ﾊﾟｽﾜｰﾄﾞ', 'ja'],
    ['สินค้า', 'th'],
    ['주문', 'ko'],
    ['الطلب', 'ar'],
    ['\u202eأين\u202c', 'ar'],
    ['הזמנה OR ההזמנה', 'he'],
    ['शिकायत', 'hi'],
    ['заказ', 'ru'],
    ['1234', 'code'],
    ['AB-1234', 'code'],
    ['ann.lee@shop.example', 'code'],
    ['https://shop.example/cart?id=77', 'code'],
    ["don't", 'code'],
    ['"shop example" -refunded', 'code'],
  ] as [string, keyof typeof texts][])('for %j finds the matching message, in any spelling', async (q, key) => {
    expect(await messages(q)).toEqual([texts[key]]);
  });

  it.each(['refunded voucher', '"twice refunded"', 'refunded -reservations', '单订', 'fundedtwice', '"refund twice"'])(
    'for %j finds nothing',
    async (q) => expect(await messages(q)).toEqual([]),
  );

  it('accepts OR between alternatives', async () => {
    expect((await messages('strasse OR 订单 OR voucher')).sort()).toEqual([texts.de, texts.zh].sort());
  });

  it.each([
    '!',
    '"',
    "'",
    '&|!()<->:*',
    '-',
    '--',
    '-refunded',
    'OR',
    'OR OR',
    '"" OR ""',
    '""',
    '\\',
    "\\' or 1=1; --",
    ':*',
    'a:*b & !c',
    '👋🏽',
    '。、？',
    '؟',
    '\u202e',
    '%',
    '_',
    '$1',
    '😀 -refunded',
    '( refunded',
    '<->',
    "'; drop table sessions; --",
    '\u00a0a',
    '\ufdfa',
    '"unclosed',
    '-"',
    '- "x" -',
    'x'.repeat(500),
    '中'.repeat(500),
    'ﷺ'.repeat(12),
    '"a"'.repeat(166),
    'a '.repeat(50).trim(),
    '\u0301',
    '-中',
    'refunded\t\n-',
  ])('accepts %j without an error', async (q) => {
    const { status, body } = await search(q);
    expect([status, body.message]).toEqual([200, undefined]);
    expect(body).toEqual({ contacts: expect.any(Array), messages: expect.any(Array), has_more_messages: false });
    if (/^[^\p{L}\p{N}]*$/u.test(q)) expect(body).toMatchObject({ contacts: [], messages: [] });
  });

  it.each([
    ['', 'q'],
    [' \t', 'q'],
    ['x'.repeat(501), 'q'],
    ['x'.repeat(10_000), 'q'],
    ['x '.repeat(51).trim(), 'q'],
    ['ﷺ'.repeat(400), 'q'],
    ['a\0b', 'q'],
  ])('refuses %j', async (q, path) => {
    const answer = await search(q);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body.issues)).toContain(path);
  });

  it('requires q, and a valid contact_id if given', async () => {
    expect((await api.org.get('/chat/sessions/search')).status).toBe(400);
    expect((await search('x', { contact_id: '1' })).status).toBe(400);
  });

  it('indexes texts of any size and script', async () => {
    const id = await newSession();
    for (const text of [
      'ﷺ'.repeat(50_000),
      `${'語'.repeat(49_990)}末尾です`,
      'x'.repeat(50_000),
      'wörter '.repeat(7_000),
    ])
      await say(id, text);
    expect((await messages('末尾'))[0]?.length).toBeGreaterThan(49_000);
  });
});

describe('a message found by search', () => {
  it('is returned with its session and type, newest first', async () => {
    const id = await newSession();
    await say(id, 'zebra one');
    const note = (await api.org.post(`/chat/sessions/${id}/notes`, { text: 'zebra two' })).body.id;
    await say(id, 'zebra three', 'agent');
    const { body } = await search('zebra');
    expect(body.messages).toMatchObject([
      { session_id: id, message: 'zebra three', type: 'message' },
      { id: note, session_id: id, message: 'zebra two', type: 'human_agent_comment' },
      { session_id: id, message: 'zebra one', type: 'message' },
    ]);
  });

  it('belongs to the org, and to the contact if one is given', async () => {
    const [ann, bob] = [await newContact({ name: 'Quagga Ann' }), await newContact({ name: 'Quagga Bob' })];
    await say(await newSession(ann), 'quagga of Ann');
    await say(await newSession(bob), 'quagga of Bob');
    const stranger = await newContact({ name: 'Quagga Stranger' }, api.other);
    await say(await newSession(stranger, api.other), 'quagga of a stranger', 'contact', api.other);
    expect(await messages('quagga')).toEqual(['quagga of Bob', 'quagga of Ann']);
    expect((await contacts('quagga')).sort()).toEqual(['Quagga Ann', 'Quagga Bob']);
    expect(await messages('quagga', { contact_id: ann })).toEqual(['quagga of Ann']);
    expect(await contacts('quagga', { contact_id: ann })).toEqual(['Quagga Ann']);
    for (const contact_id of [stranger, crypto.randomUUID()])
      expect((await search('quagga', { contact_id })).body).toMatchObject({ contacts: [], messages: [] });
  });

  it('is no longer found once its text is redacted', async () => {
    const id = await newSession();
    await say(id, 'My password is okapi-4711, please do not tell anybody');
    expect(await messages('okapi')).toHaveLength(1);
    await sql`update session_events set content = null where org_id = ${api.org.id} and session_id = ${id}`.execute(
      api.db,
    );
    expect(await messages('okapi')).toEqual([]);
    const kept = await sql`select id from session_events where session_id = ${id} and search is not null`.execute(
      api.db,
    );
    expect(kept.rows).toEqual([]);
  });

  it('does not depend on the search path of the database, so that a dump can be restored', async () => {
    const id = await newSession();
    await api.db.transaction().execute(async (trx) => {
      await sql`set local search_path = ''`.execute(trx);
      await sql`
        insert into public.session_events (org_id, session_id, seq, id, type, content, language)
        values (${api.org.id}, ${id}, 1, ${crypto.randomUUID()}, 'human_agent_comment', 'Les okapis sont arrivés, 你好', 'fr')
      `.execute(trx);
      await sql`insert into public.contacts (org_id, id, name) values (${api.org.id}, ${crypto.randomUUID()}, 'Éloi 你好')`.execute(
        trx,
      );
    });
    expect(await messages('arrives okapis 你好')).toHaveLength(1);
    expect(await contacts('eloi')).toEqual(['Éloi 你好']);
  });

  it('is found by its word stem even if the language was detected after it was sent', async () => {
    const id = await newSession();
    await say(id, 'wombats', 'agent');
    expect(await messages('wombat')).toEqual(['wombats']); // the last word may be a beginning
    expect(await messages('wombat ')).toEqual([]);
    await say(id, 'I would like to know more about this animal, please.');
    expect(await messages('wombat ')).toEqual(['wombats']);
  });

  it('is found among the newest and the oldest messages alike', async () => {
    const org = await api.createOrg();
    const id = await newSession(undefined, org);
    await say(id, 'needle oldest', 'agent', org);
    await sql`
      insert into session_events (org_id, session_id, seq, id, type, sender, content)
      select ${org.id}::uuid, ${id}::uuid, 10 + n, uuidv7(), 'message', 'human_agent',
        'hay ' || n || case when n % 1000 = 0 then ' needle' else '' end
      from generate_series(1, 7000) n
    `.execute(api.db);
    const found = (await search('needle', {}, org)).body.messages.map(({ message }: { message: string }) => message);
    expect(found).toEqual([...[7, 6, 5, 4, 3, 2, 1].map((n) => `hay ${n}000 needle`), 'needle oldest']);
    const many = (await search('hay', {}, org)).body;
    expect([many.messages.length, many.messages[0].message, many.has_more_messages]).toEqual([
      50,
      'hay 7000 needle',
      true,
    ]);
    expect((await search('needle', {}, org)).body.has_more_messages).toBe(false);
  });
});

describe('a search for contacts', () => {
  beforeAll(async () => {
    await newContact({ name: 'Øyvind Händel-Lovelace', email: 'oyvind.h@fjord.example', phone: '+442079460958' });
    await newContact({ name: '李明 Ольга' });
    await newContact({ name: 'Joanna', email: 'jo@anna.example' });
    await newContact({ name: 'Anna' });
    await newContact({ email: 'nameless@nowhere.example' });
  });

  it.each([
    ['lovelace', 'Øyvind Händel-Lovelace'],
    ['LOVE', 'Øyvind Händel-Lovelace'],
    ['velac', 'Øyvind Händel-Lovelace'],
    ['handel oyvind', 'Øyvind Händel-Lovelace'],
    ['lovelase', 'Øyvind Händel-Lovelace'],
    ['oyvind.h@fjord.example', 'Øyvind Händel-Lovelace'],
    ['@fjord', 'Øyvind Händel-Lovelace'],
    ['+44 20 7946 0958', 'Øyvind Händel-Lovelace'],
    ['020 7946', 'Øyvind Händel-Lovelace'],
    ['李明', '李明 Ольга'],
    ['李', '李明 Ольга'],
    ['ольга', '李明 Ольга'],
    ['nowhere', null],
  ])('for %j finds the contact %j', async (q, name) => expect(await contacts(q)).toEqual([name]));

  it('returns the most similar first, in the format of the API', async () => {
    expect(await contacts('anna')).toEqual(['Anna', 'Joanna']);
    expect((await search('oyvind')).body.contacts).toEqual([
      {
        id: expect.any(String),
        name: 'Øyvind Händel-Lovelace',
        email: 'oyvind.h@fjord.example',
        phone: '+442079460958',
      },
    ]);
  });

  it('for several words returns first who has them in a row, behind more who have each than are compared', async () => {
    const org = await api.createOrg();
    const others = Array.from({ length: 250 }, (_, n) => ({ name: 'Anna Meyer', email: `m${n}@smith.example` }));
    expect((await org.post('/contacts/batch', { contacts: others })).status).toBe(200);
    await org.post('/contacts', { contact: { name: 'Anna Smith' } });
    expect((await search('anna smith', {}, org)).body.contacts[0]).toMatchObject({ name: 'Anna Smith' });
  });

  it.each(['%', '%%%', '___', 'a%a', '\\\\\\', 'zzzzzz'])('for %j finds nobody', async (q) =>
    expect(await contacts(q)).toEqual([]),
  );
});

it('a search needs the scope to read sessions', async () => {
  const read = await api.org.withScopes('chat-sessions:read');
  expect((await read.get('/chat/sessions/search?q=x')).status).toBe(200);
  expect((await (await api.org.withScopes('contacts:read')).get('/chat/sessions/search?q=x')).status).toBe(403);
});
