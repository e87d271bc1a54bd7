import { readdir, readFile } from 'node:fs/promises';
import { SEND_CSAT_SURVEY } from '../../src/csat/survey/contract.ts';
import words from '../../src/csat/survey/words.json' with { type: 'json' };
import { repair } from '../../src/repair/repair.ts';
import { connectMeta, connectTwilio, FAKES_ALLOWED, newNumber } from '../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../support/fakes/meta.ts';
import { type FakeTwilio, startFakeTwilio } from '../support/fakes/twilio.ts';
import { mailOf } from '../support/mails.ts';
import { handOver } from '../support/smtp.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const INBOX = 'help@in.acme.example';
const LINK = /https?:\/\/\S+\/csat\/\S+/;
const AT_ONCE = { channels: ['email', 'sms', 'whatsapp'], delay_minutes: 0 };

let stack: Stack;
let twilio: FakeTwilio;
let meta: FakeMeta;
let org: TestOrg;
let urls: { sms: string; whatsapp: string };
let person: { email: string; phone: string };
beforeAll(async () => {
  twilio = await startFakeTwilio();
  meta = await startFakeMeta();
  const inbound = { HOST: '127.0.0.1', INBOUND_DOMAIN: 'in.acme.example', INBOUND_SMTP_PORT: '0' };
  stack = await startStack({ env: { ...FAKES_ALLOWED, ...inbound, DEVELOPMENT: 'true' } });
  org = await stack.createOrg();
  urls = { sms: await connectTwilio(org, twilio), whatsapp: await connectMeta(org, meta) };
  await org.put('/email/inboxes', { address: INBOX, is_default_sender: true });
});
afterAll(async () => {
  await stack.close();
  await twilio.close();
  await meta.close();
});
beforeEach(async () => {
  person = { email: `${crypto.randomUUID()}@example.com`, phone: newNumber() };
  await org.patch('/org/settings', { csat: true, csat_survey: AT_ONCE });
});

type Way = 'email' | 'sms' | 'whatsapp';

const WRITING: Record<Way, () => Promise<unknown>> = {
  sms: () => twilio.receive({ from: person.phone, to: '+15005550006', body: 'Hello?' }, urls.sms),
  whatsapp: () => meta.receive(urls.whatsapp, { from: person.phone, text: 'Hello?' }),
  email: () => {
    const raw = mailOf({ From: person.email, To: INBOX, Cc: 'boss@example.com', Subject: 'My order' }, 'Where is it?');
    return handOver(stack.inboundPort, { from: person.email, to: INBOX, raw });
  },
};
const RECEIVED: Record<Way, () => string[]> = {
  sms: () =>
    twilio.messages
      .filter(({ params }) => params.get('To') === person.phone)
      .map(({ params }) => `${params.get('Body')}`),
  whatsapp: () => meta.texts.filter(({ to }) => to === person.phone).map(({ text }) => text),
  email: () => stack.sink.to(person.email).map(({ text }) => text ?? ''),
};
const newSession = async (way: Way): Promise<string> => {
  await WRITING[way]();
  return eventually('the session', async () => {
    const { items } = (await org.get('/chat/sessions?limit=100')).body;
    return items.find(
      ({ channel, contact }: { channel: { type: Way }; contact: { email: string; phone_number: string } }) =>
        channel.type === way &&
        [contact.email, contact.phone_number].some((one) => one === person.email || one === person.phone),
    )?.id;
  });
};
const setStatus = (id: string, status: string) => org.patch(`/chat/sessions/${id}`, { status });
const resolve = (id: string) => setStatus(id, 'closed_resolved');
const surveysOf = (id: string) =>
  stack.db.selectFrom('csat_surveys').selectAll().where('session_id', '=', id).orderBy('resolution').execute();
const untilSettled = (id: string, count = 1) =>
  eventually(`${count} surveys without anything left to do`, async () => {
    const surveys = await surveysOf(id);
    return surveys.length === count && surveys.every(({ state }) => state !== 'pending') && surveys;
  });
const untilLink = (way: Way): Promise<string> =>
  eventually('the link', () => RECEIVED[way]().flatMap((text) => LINK.exec(text) ?? [])[0]);
const surveyed = async (way: Way) => {
  const id = await newSession(way);
  await resolve(id);
  return { id, url: await untilLink(way) };
};
const open = async (url: string) => {
  const answer = await fetch(url, { headers: { accept: 'text/html' } });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
};
const answer = async (url: string, form: Record<string, string>) => {
  const given = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers: { accept: 'text/html' } });
  return { status: given.status, html: await given.text() };
};
const scoreOf = async (id: string) => (await org.get(`/csat/scores/session/${id}`)).body;
const submitted = async (id: string) =>
  (await org.get(`/chat/sessions/${id}/history`)).body.items.filter(
    ({ event }: { event: { type: string } }) => event.type === 'csat_submitted',
  );
const age = async (table: 'csat_scores' | 'csat_surveys', id: string, hours: number) => {
  const at = new Date(Date.now() - hours * 3_600_000);
  const change = table === 'csat_scores' ? { created_at: at } : { due_at: at };
  await stack.db.updateTable(table).set(change).where('session_id', '=', id).execute();
};

describe.each(['email', 'sms', 'whatsapp'] as const)('a survey by %s', (way) => {
  it('reaches the customer once a resolution, and is answered on its page', async () => {
    const { id, url } = await surveyed(way);
    const [text = ''] = RECEIVED[way]().filter((one) => LINK.test(one));
    expect(text).toContain('How was this conversation?');
    expect((await open(url)).status).toBe(200);
    expect((await answer(url, { score: '4', comment: 'Quick' })).status).toBe(200);
    expect(await scoreOf(id)).toMatchObject({ score: 4, comment: 'Quick', channel: way });
    expect(await submitted(id)).toMatchObject([{ actor: { kind: 'contact' }, event: { score: 4 } }]);

    await setStatus(id, 'open');
    await resolve(id);
    const surveys = await untilSettled(id, 2);
    expect(surveys.map(({ state }) => state)).toEqual(['requested', 'requested']);
    await eventually('the second link', () => RECEIVED[way]().filter((one) => LINK.test(one)).length === 2);
  });
});

it('a survey by e-mail goes to the contact alone, in the thread, and can be unsubscribed from', async () => {
  const id = await newSession('email');
  await stack.db.updateTable('sessions').set({ verified: true }).where('id', '=', id).execute();
  await resolve(id);
  await untilLink('email');
  const [mail] = stack.sink.to(person.email);
  expect([mail?.subject, mail?.cc, mail?.headers.has('list')]).toEqual(['Re: My order', undefined, true]);
});

describe('a survey is not sent', () => {
  const expectNone = async (id: string, way: Way) => {
    expect((await untilSettled(id)).map(({ state }) => state)).toEqual(['skipped']);
    expect(RECEIVED[way]().some((text) => LINK.test(text))).toBe(false);
  };

  it('where the org does not want it: without csat, on other channels, and on the web', async () => {
    await org.patch('/org/settings', { csat_survey: { channels: ['email'], delay_minutes: 0 } });
    const bySms = await newSession('sms');
    const onWeb = (await org.post('/chat/sessions', { channel: { type: 'web' } })).body.id;
    await resolve(bySms);
    await resolve(onWeb);
    await org.patch('/org/settings', { csat: null, csat_survey: AT_ONCE });
    const byEmail = await newSession('email');
    await resolve(byEmail);
    await org.patch('/org/settings', { csat: true });
    const { id } = await surveyed('whatsapp'); // events are reacted to in their order
    expect(await surveysOf(id)).toHaveLength(1);
    expect(await Promise.all([bySms, onWeb, byEmail].map(surveysOf))).toEqual([[], [], []]);
  });

  it('once the session is open again, or has a score, when its delay is over', async () => {
    await org.patch('/org/settings', { csat_survey: { ...AT_ONCE, delay_minutes: 60 } });
    const [reopened, scored] = [await newSession('sms'), await newSession('whatsapp')];
    const workflows = [];
    for (const id of [reopened, scored]) {
      await resolve(id);
      const surveyId = await eventually('the survey', async () => (await surveysOf(id))[0]?.id);
      const workflow = stack.temporal.workflow.getHandle(SEND_CSAT_SURVEY.workflowId({ orgId: org.id, surveyId }));
      const isWaiting = async () =>
        (await workflow.fetchHistory()).events?.some(({ timerStartedEventAttributes: timer }) => timer);
      await eventually('its timer', () => isWaiting().catch(() => false));
      workflows.push(workflow);
    }
    await setStatus(reopened, 'open');
    await org.post('/csat/scores', { session_id: scored, score: 3 });
    for (const workflow of workflows) await workflow.terminate('a test');
    for (const id of [reopened, scored]) await age('csat_surveys', id, 1);
    const mended: unknown[] = [];
    await eventually('both to be mended: a command may still stand in the outbox', async () => {
      const repaired = await repair(stack.db, stack.temporal, { isDryRun: false });
      mended.push(...repaired.filter(({ kind }) => kind === 'csat-survey'));
      return mended.length >= workflows.length;
    });
    expect(mended).toMatchObject([{ mended: 'resumed' }, { mended: 'resumed' }]);
    await expectNone(reopened, 'sms');
    await expectNone(scored, 'whatsapp');
  });

  it('by WhatsApp more than a day after the contact’s last message, which the ledger says', async () => {
    const id = await newSession('whatsapp');
    await stack.db
      .updateTable('inbound_messages')
      .set({ received_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('from', '=', person.phone)
      .execute();
    await resolve(id);
    await expectNone(id, 'whatsapp');
    const [survey] = await surveysOf(id);
    expect((await org.get(`/deliveries/${survey?.id}`)).body).toMatchObject({
      status: 'skipped',
      reason: expect.stringContaining('24 hours'),
    });
  });

  it.each(['email', 'sms'] as const)('to a contact who has opted out of %s, or is blocked', async (way) => {
    const endOf = async (id: string) => {
      await resolve(id);
      const [survey] = await untilSettled(id);
      return eventually('the end', async () => {
        const { status } = (await org.get(`/deliveries/${survey?.id}`)).body;
        return !['queued', 'sending'].includes(status) && status;
      });
    };
    const optedOut = await newSession(way);
    await org.post('/suppressions', { channel: way, address: way === 'email' ? person.email : person.phone });
    expect(await endOf(optedOut)).toBe('suppressed');

    person = { email: `${crypto.randomUUID()}@example.com`, phone: newNumber() };
    await org.post('/contacts', { contact: { email: person.email, phone: person.phone } });
    const blocked = await newSession(way);
    await org.post('/blocklist/contacts', { email: person.email });
    expect(await endOf(blocked)).toBe('skipped');
  });
});

describe('the page of a survey', () => {
  it('works without scripts, in the language of the session, and changes nothing by being opened', async () => {
    const { id, url } = await surveyed('sms');
    await stack.db.updateTable('sessions').set({ language: 'ur' }).where('id', '=', id).execute();
    const { html, headers } = await open(url);
    expect(html).toContain('<html lang="ur" dir="rtl">');
    expect(html).toContain(words.ur.question);
    expect([html.match(/type="radio"/g)?.length, /<script/.test(html)]).toEqual([5, false]);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    expect((await org.get(`/csat/scores/session/${id}`)).status).toBe(404);
  });

  it('takes another answer for a day, shows the last one, and announces each', async () => {
    const { id, url } = await surveyed('sms');
    const comment = '<b>Not</b> good\r\nat all';
    await answer(url, { score: '5', comment: '' });
    const { html } = await answer(url, { score: '1', comment });
    expect(html).toContain(words.en.thanks);
    expect(html).toContain('value="1" required aria-label="1 of 5" checked');
    expect(html).toContain('&lt;b&gt;Not&lt;/b&gt; good\nat all');
    await answer(url, { score: '1', comment }); // changes nothing
    expect(await scoreOf(id)).toMatchObject({ score: 1, comment: '<b>Not</b> good\nat all' });
    expect((await submitted(id)).map(({ event }: { event: { score: number } }) => event.score)).toEqual([5, 1]);
    expect(
      (await org.get('/csat/scores')).body.items.filter((one: { session_id: string }) => one.session_id === id),
    ).toHaveLength(1);

    await age('csat_scores', id, 25);
    const late = await answer(url, { score: '3', comment: '' });
    expect([late.status, (await open(url)).status]).toEqual([410, 410]);
    expect(late.html).toContain(words.en.expired);
    expect(await scoreOf(id)).toMatchObject({ score: 1 });
  });

  it('takes a first answer for 30 days', async () => {
    const { id, url } = await surveyed('sms');
    await age('csat_surveys', id, 24 * 30 - 1);
    expect((await open(url)).status).toBe(200);
    await age('csat_surveys', id, 24 * 30 + 1);
    expect((await answer(url, { score: '3', comment: '' })).status).toBe(410);
  });

  it('refuses forms without one score, and tokens that are not of a survey', async () => {
    const { id, url } = await surveyed('sms');
    for (const score of ['', '0', '6', '1.5', 'x'])
      expect((await answer(url, { score, comment: '' })).status).toBe(400);
    expect((await answer(url, { comment: 'no score' })).status).toBe(400);
    expect((await answer(url, { score: '3', comment: 'x'.repeat(5_001) })).status).toBe(400);
    const twice = await fetch(url, { method: 'POST', body: new URLSearchParams('score=1&score=5&comment=') });
    expect(twice.status).toBe(400);
    const changed = `${url.slice(0, -2)}${url.endsWith('AA') ? 'BB' : 'AA'}`;
    const unsubscribe = url.replace('/csat/', '/u/');
    expect(await Promise.all([changed, unsubscribe].map(async (one) => (await open(one)).status))).toEqual([404, 404]);
    expect((await org.get(`/csat/scores/session/${id}`)).status).toBe(404);
  });

  it('shows no comment that was redacted', async () => {
    const { id, url } = await surveyed('email');
    await answer(url, { score: '2', comment: 'my card is 4111' });
    expect((await open(url)).html).toContain('4111');
    expect((await org.post('/redaction/session', { sessionId: id })).status).toBe(200);
    expect((await open(url)).html).not.toContain('4111');
    expect(await scoreOf(id)).toMatchObject({ score: 2, comment: null });
  });
});

it('the words of a survey are those of the widget', async () => {
  const folder = new URL('../../embed/languages/', import.meta.url);
  for (const file of await readdir(folder)) {
    const widget = JSON.parse(await readFile(new URL(file, folder), 'utf8'));
    expect(Object.entries(words).find(([code]) => `${code}.json` === file)?.[1]).toEqual({
      question: widget.csat,
      score: widget.csatScore,
      comment: widget.csatComment,
      thanks: widget.csatThanks,
      submit: widget.submit,
      expired: widget.expired,
    });
  }
});
