import { sql } from 'kysely';
import { deleteOldFeedback } from '../../../src/knowledge/help-center/feedback/service.ts';
import words from '../../../src/knowledge/help-center/words.json' with { type: 'json' };
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { TRUSTED_PROXIES: '127.0.0.0/8', RATE_LIMIT_STORE: 'postgres' } });
});
afterAll(() => api.close());

const SAME_SITE = { 'sec-fetch-site': 'same-origin' };
const TREE = [
  {
    name: 'Billing',
    slug: 'billing',
    articles: [
      { title: 'Refunds & returns', slug: 'refunds', content_markdown: 'Within 30 days.' },
      { title: 'Invoices', slug: 'invoices', content_markdown: 'By mail.' },
    ],
  },
];

async function helpCenter(language = 'en') {
  const org = await api.createOrg();
  await org.patch('/org', { language });
  await org.put('/help-center/content', { categories: TREE });
  const { items } = (await org.get('/help-center/articles')).body;
  const [refunds] = items.filter(({ slug }: { slug: string }) => slug === 'refunds');
  return { org, id: refunds.id as string, url: refunds.url as string };
}

let networks = 0;

/** Answers from a network that has not answered yet, or from that of the headers. */
async function answer(url: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { ...SAME_SITE, 'x-forwarded-for': `203.0.113.${++networks}`, ...headers },
  });
  const html = await response.text();
  const [, answerId] = /name="answer" value="([^"]+)"/.exec(html) ?? [];
  return { status: response.status, html, answerId, cookie: response.headers.get('set-cookie') };
}

const countsOf = async (org: TestOrg, id: string) => (await org.get(`/help-center/articles/${id}/feedback`)).body;

describe('the question at the end of an article', () => {
  it('counts a reader once, by a form without scripts and a cookie that is the same for everybody', async () => {
    const { org, id, url } = await helpCenter();
    const page = await (await fetch(url)).text();
    expect(page).toContain(`<form class="ask" method="post" action="${url}"`);
    const first = await answer(url, { helpful: 'yes' });
    expect([first.status, first.html.includes('<h1>Thank you!</h1>')]).toEqual([200, true]);
    const [pair = '', ...attributes] = (first.cookie ?? '').split('; ');
    expect(attributes).toEqual(
      expect.arrayContaining([`Path=${new URL(url).pathname}`, 'HttpOnly', 'SameSite=Strict']),
    );
    expect(pair.split('=')[1]).toBe('1');
    const again = await answer(url, { helpful: 'no' }, { cookie: pair });
    expect([again.status, again.answerId, again.cookie]).toEqual([200, undefined, null]);
    await answer(url, { helpful: 'no' });
    expect((await countsOf(org, id)).languages).toEqual([{ language: 'en', helpful: 1, not_helpful: 1 }]);
    const { feedback } = (await org.get(`/help-center/articles/${id}`)).body;
    expect(feedback).toEqual({ helpful: 1, not_helpful: 1 });
    const listed = (await org.get('/help-center/articles')).body.items;
    expect(listed.map((one: { feedback: object }) => one.feedback)).toContainEqual({ helpful: 0, not_helpful: 0 });
  });

  it('takes one sentence about an answer, as text', async () => {
    const { org, id, url } = await helpCenter();
    const { answerId = '' } = await answer(url, { helpful: 'no' });
    const comment = '<script>alert(1)</script>\r\nToo short';
    expect((await answer(url, { answer: answerId, comment })).status).toBe(200);
    await answer(url, { answer: answerId, comment: 'Another' });
    await answer(url, { answer: api.org.id, comment: 'To no answer' });
    const { items, next } = await countsOf(org, id);
    expect([items, next]).toEqual([
      [
        {
          id: answerId,
          language: 'en',
          is_helpful: false,
          comment: comment.replace('\r\n', '\n'),
          created_at: expect.any(String),
        },
      ],
      null,
    ]);
    const other = await helpCenter();
    expect((await other.org.get(`/help-center/articles/${id}/feedback`)).status).toBe(404);
  });

  it('has a sentence removed for good. Its answer stays counted and gets no second sentence', async () => {
    const { org, id, url } = await helpCenter();
    const { answerId = '' } = await answer(url, { helpful: 'no' });
    const { answerId: silent = '' } = await answer(url, { helpful: 'no' });
    await answer(url, { answer: answerId, comment: 'Call me: Zoe, +44 20 7946 0958' });
    const other = await api.createOrg();
    const redact = (by: TestOrg, feedbackId: string) =>
      by.post('/redaction/feedback', { feedbackId, reason: 'A phone number' });
    expect([(await redact(other, answerId)).status, (await redact(org, silent)).status]).toEqual([404, 404]);
    expect((await redact(org, 'none')).status).toBe(400);
    expect((await countsOf(org, id)).items).toHaveLength(1);
    const answered = { success: true, itemId: answerId, redactionType: 'feedback' };
    expect((await redact(org, answerId)).body).toMatchObject({ ...answered, affectedCount: 1 });
    expect((await redact(org, answerId)).body).toMatchObject({ ...answered, affectedCount: 0 });
    await answer(url, { answer: answerId, comment: 'Call me, please' });
    const after = await countsOf(org, id);
    expect([after.items, after.languages]).toEqual([[], [{ language: 'en', helpful: 0, not_helpful: 2 }]]);
    const { rows } = await sql<{ comment: null }>`
      select comment from help_center_answers where id = ${answerId}
    `.execute(api.db);
    expect(rows).toEqual([{ comment: null }]);
    const { items } = (await org.get('/redaction')).body;
    const nothingElse = { session_id: null, message_id: null };
    const record = { kind: 'feedback', feedback_id: answerId, reason: 'A phone number', ...nothingElse };
    expect(items).toMatchObject([
      { ...record, affected: 1, actor: { kind: 'key' } },
      { ...record, affected: 0 },
    ]);
    const audited = (await org.get('/audit?kind=redaction')).body.items;
    expect(audited[0].changes).toContainEqual({ field: 'feedback_id', old: null, new: answerId });
    expect(JSON.stringify(audited)).not.toContain('phone number');
  });

  it('is in the language of the help center, and counted by it', async () => {
    const { org, id, url } = await helpCenter('de');
    expect(await (await fetch(url)).text()).toContain(words.de.helpful);
    expect((await answer(url, { helpful: 'no' })).html).toContain(words.de.tell_us);
    await org.patch('/org', { language: 'no' });
    await answer(url, { helpful: 'yes' });
    expect(
      (await countsOf(org, id)).languages.map(({ language }: { language: string }) => language).toSorted(),
    ).toEqual(['de', 'no']);
  });

  it('refuses what another site sends, what is no answer, and articles that do not exist', async () => {
    const { org, id, url } = await helpCenter();
    const statuses = [
      (await answer(url, { helpful: 'yes' }, { 'sec-fetch-site': 'cross-site' })).status,
      (await answer(url, { helpful: 'maybe' })).status,
      (await answer(url, {})).status,
      (await answer(url, { answer: id, comment: 'x'.repeat(1_001) })).status,
      (await answer(`${url}-not`, { helpful: 'yes' })).status,
      (await answer(`${api.url}/help/${id}/billing/refunds`, { helpful: 'yes' })).status,
      (
        await fetch(url, {
          method: 'POST',
          body: '{"helpful":["yes"]}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ];
    expect(statuses).toEqual([403, 400, 400, 400, 404, 404, 415]);
    expect((await countsOf(org, id)).languages).toEqual([]);
  });

  it('is limited for a network, and asks a person to look at an article that helps few', async () => {
    const { org, id, url } = await helpCenter();
    const ip = '198.51.100.7';
    const from = { 'x-forwarded-for': ip };
    const answers = await Promise.all(Array.from({ length: 25 }, () => answer(url, { helpful: 'no' }, from)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    const thanked = answers.filter(({ html }) => html.includes('<h1>Thank you!</h1>'));
    expect([thanked.length, thanked.filter(({ answerId }) => answerId !== undefined).length]).toEqual([20, 2]);
    expect((await countsOf(org, id)).languages).toEqual([{ language: 'en', helpful: 0, not_helpful: 2 }]);
    const other = await answer(url.replace('refunds', 'invoices'), { helpful: 'no' }, from);
    expect(other.answerId).toBeDefined();
    const { rows } = await sql<{ key: string }>`select key from rate_limits where key like '%feedback:%'`.execute(
      api.db,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { key } of rows) expect([key.includes(ip), key.includes(id)]).toEqual([false, false]);
    for (let n = 0; n < 3; n++) await answer(url, { helpful: 'no' });
    const { languages } = await countsOf(org, id);
    const unhelpful = async () =>
      (await org.get('/org/attention')).body.items.filter(({ kind }: { kind: string }) => kind === 'article_unhelpful');
    expect(await unhelpful()).toMatchObject([
      { title: 'Refunds & returns', count: languages[0].not_helpful, ref: { kind: 'article', id } },
    ]);
    const [{ articles, ...category }] = TREE as [(typeof TREE)[number]];
    const better = articles.map((article) => ({ ...article, content_markdown: 'Within 30 days, by the form.' }));
    await org.put('/help-center/content', { categories: [{ ...category, articles: better }] });
    expect(await unhelpful()).toEqual([]);
  });

  it('keeps the numbers when answers of more than a year are deleted, and nothing of an article that is deleted', async () => {
    const { org, id, url } = await helpCenter();
    const { answerId = '' } = await answer(url, { helpful: 'no' });
    await answer(url, { answer: answerId, comment: 'Old' });
    await sql`update help_center_answers set created_at = now() - interval '366 days' where id = ${answerId}`.execute(
      api.db,
    );
    expect(await deleteOldFeedback(api.db)).toBe(1);
    expect(await countsOf(org, id)).toMatchObject({ languages: [{ not_helpful: 1 }], items: [] });
    await org.put('/help-center/content', { categories: [] });
    const { rows } = await sql`select from help_center_feedback where article_id = ${id}`.execute(api.db);
    expect(rows).toEqual([]);
  });
});
