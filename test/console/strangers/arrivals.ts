import { crawlAgain, crawlSite } from '../../crawl/crawling.ts';
import { connectInstagram } from '../../support/channels.ts';
import { startFakeDirectMessages } from '../../support/fakes/direct-messages.ts';
import { startFakeProvider } from '../../support/fakes/provider.ts';
import { pageOf, startFakeSite } from '../../support/fakes/site.ts';
import { startWebhookReceiver } from '../../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack } from '../../support/stack/stack.ts';
import { createEndpoint, deliveriesOf } from '../../webhooks/endpoints.ts';
import { unverified } from '../../widget/client.ts';
import { hostile } from './hostile.ts';

export const DOMAIN = 'in.acme.example';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** What answers for strangers, until the test closes it. */
export type Fakes = { close(): Promise<void> }[];

function kept<Fake extends Fakes[number]>(fakes: Fakes, fake: Fake): Fake {
  fakes.push(fake);
  return fake;
}

/** A visitor of a website chats and rates the conversation. Returns the session. */
export async function chat(stack: Stack, org: TestOrg): Promise<string> {
  const widget = await unverified(stack, org, {
    non_verified_name: hostile('visitor-name'),
    non_verified_custom_data: { plan: hostile('visitor-plan') },
  });
  const sessionId = await widget.newSession({ page_title: hostile('visitor-page') });
  const file = await widget.upload(PNG, `${hostile('visitor-file').replaceAll('/', '')}.png`);
  expect(file.status).toBeLessThan(300);
  const said = await widget.send(sessionId, hostile('visitor-text'), { attachments: [file.body] });
  expect([said.body.message, said.status]).toEqual([undefined, 200]);
  await org.patch(`/chat/sessions/${sessionId}`, { status: 'closed_resolved' });
  const scored = await org.post('/csat/scores', { session_id: sessionId, score: 1, comment: hostile('csat-comment') });
  expect([scored.body.message, scored.status < 300]).toEqual([undefined, true]);
  await org.patch(`/chat/sessions/${sessionId}`, { status: 'open' });
  return sessionId;
}

/** A mail comes in. Returns its session. */
export async function mail(stack: Stack, org: TestOrg): Promise<string> {
  const address = `support@${DOMAIN}`;
  await org.put('/email/inboxes', { address });
  const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
  const raw = [
    `From: ${encoded(hostile('mail-name'))} <eve@evil.example>`,
    `To: ${address}`,
    `Subject: ${encoded(hostile('mail-subject'))}`,
    'Message-Id: <1@evil.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    hostile('mail-text'),
    '--b',
    'Content-Type: application/pdf',
    `Content-Disposition: attachment; filename="${encoded(hostile('mail-file').replaceAll('/', ''))}"`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('%PDF-1.4 %%EOF').toString('base64'),
    '--b--',
    '',
  ].join('\r\n');
  const headers = { authorization: `Bearer ${org.key}`, 'content-type': 'message/rfc822' };
  expect((await fetch(`${stack.url}/email/inbound`, { method: 'POST', headers, body: raw })).status).toBe(202);
  return eventually('the session of the mail', async () => {
    const { body } = await org.get('/chat/sessions?channel_type=email');
    return body.items[0]?.id as string | undefined;
  });
}

/** A person writes on Instagram. Returns the session. */
export async function instagram(org: TestOrg, fakes: Fakes): Promise<string> {
  const meta = kept(fakes, await startFakeDirectMessages('instagram'));
  await meta.receive(await connectInstagram(org, meta), { from: '7001', text: hostile('instagram-text') });
  return (await org.get('/chat/sessions?channel_type=instagram')).body.items[0].id;
}

/** A form is filled in. Its answers start a run, whose step gets an answer from elsewhere. Returns the run. */
export async function form(org: TestOrg, fakes: Fakes): Promise<{ workflowId: string; runId: string }> {
  const shop = kept(fakes, await startFakeProvider());
  shop.next({ status: 200, body: { answer: hostile('webhook-answer') } });
  const input = { url: `${shop.url}/wishes`, method: 'POST', body: {} };
  const fields = [{ name: 'wish', type: 'text', required: true }];
  const { body: made } = await org.post('/workflows', {
    name: 'Wishes',
    trigger_type: 'form-trigger',
    trigger_configuration: { fields },
    workflow_blocks: [{ $kind: 'Action', id: 'tell', type: 'send-webhook', name: 'Tell the shop', input }],
  });
  const { body: active } = await org.post(`/workflows/${made.workflow_id}/activate`, {});
  const url = made.webhook_url ?? active.webhook_url;
  const headers = { 'content-type': 'application/json' };
  const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ wish: hostile('form-answer') }) });
  expect(sent.status).toBe(202);
  const run = await eventually('the end of the run', async () => {
    const { body } = await org.get(`/runs?workflow_id=${made.workflow_id}`);
    return body.items[0]?.status === 'completed' && body.items[0];
  });
  return { workflowId: made.workflow_id, runId: run.id };
}

/** An endpoint refuses an event with its own words. Returns the endpoint. */
export async function webhook(org: TestOrg, fakes: Fakes): Promise<string> {
  const receiver = kept(fakes, await startWebhookReceiver());
  receiver.answer = (_, response) => void response.writeHead(500).end(hostile('receiver-answer'));
  const { id } = await createEndpoint(org, receiver, { event_types: ['contact.created'] });
  await org.post('/contacts', { contact: { name: hostile('event-name'), email: 'event@evil.example' } });
  await deliveriesOf(org, id, { retrying: 1 });
  return id;
}

/** A website is crawled that changes, and whose pages are gone later. Returns the website. */
export async function website(org: TestOrg, fakes: Fakes): Promise<string> {
  const site = kept(fakes, await startFakeSite());
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const paths = ['/docs/a', '/docs/b', '/docs/c'];
  site.pages.set('/docs', pageOf('Home', { links: paths }));
  for (const path of paths) site.pages.set(path, pageOf(escaped(hostile(`title-of-${path.slice(-1)}`))));
  const { id } = await crawlSite(org, { url: `${site.url}/docs`, display_name: 'Docs' });
  for (const path of paths.slice(1)) site.pages.set(path, { status: 404 });
  const text = `Now it says ${escaped(hostile('page-text'))} and more of that, so that it is long enough to be kept.`;
  site.pages.set('/docs/a', pageOf(escaped(hostile('title-of-a')), { text }));
  await crawlAgain(org, id);
  await crawlAgain(org, id);
  return id;
}

/** A reader of the help center says what is wrong with an article. Returns the article. */
export async function reader(org: TestOrg): Promise<string> {
  const articles = [{ title: 'Returns', slug: 'returns', content_markdown: 'Within thirty days.' }];
  await org.put('/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
  const [article] = (await org.get('/help-center/articles')).body.items;
  const answer = async (fields: Record<string, string>) =>
    (
      await fetch(article.url, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin' },
      })
    ).text();
  const [, id = ''] = /name="answer" value="([^"]+)"/.exec(await answer({ helpful: 'no' })) ?? [];
  await answer({ answer: id, comment: hostile('feedback-text') });
  return article.id;
}

/** The writer of a mail answers the survey about it. Returns the survey's page, on which the answer can be changed. */
export async function survey(stack: Stack, org: TestOrg, mailId: string): Promise<string> {
  await org.patch('/org/settings', { csat: true, csat_survey: { channels: ['email'], delay_minutes: 0 } });
  await org.patch(`/chat/sessions/${mailId}`, { status: 'closed_resolved' });
  const url = await eventually(
    'the link of the survey',
    () =>
      stack.sink.to('eve@evil.example').flatMap(({ text }) => /https?:\/\/\S+\/csat\/\S+/.exec(text ?? '') ?? [])[0],
  );
  const body = new URLSearchParams({ score: '1', comment: hostile('survey-comment') });
  expect((await fetch(url, { method: 'POST', body, headers: { accept: 'text/html' } })).status).toBe(200);
  return url;
}
