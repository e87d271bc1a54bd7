import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import { type MailCatcher, startMailCatcher } from '../../src/dev/mail/catcher.ts';
import { anyFreePort } from '../../src/dev/ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'mail-catcher-'));
const running: MailCatcher[] = [];

afterEach(() => Promise.all(running.splice(0).map((catcher) => catcher.stop())));
afterAll(() => rmSync(folder, { recursive: true }));

it('the mail catcher shows received mails, newest last, with decoded texts and original headers', async () => {
  const catcher = await startCatcher();
  await send(catcher, { to: 'first@x.test' });
  await send(catcher, {
    from: '"Hütte" <hello@x.test>',
    to: 'second@x.test',
    bcc: 'third@x.test',
    subject: 'Grüße',
    text: 'Schöne Grüße',
    html: '<p>Schöne Grüße</p>',
    list: { unsubscribe: { url: 'http://127.0.0.1/u?t=1' } },
  });

  const { items } = await messages(catcher);
  expect(items.map(({ id }) => id)).toEqual(['1', '2']);
  expect(items[1]).toEqual({
    id: '2',
    from: 'hello@x.test',
    to: 'second@x.test, third@x.test',
    subject: 'Grüße',
    headers: expect.objectContaining({ 'list-unsubscribe': '<http://127.0.0.1/u?t=1>' }),
    text: 'Schöne Grüße',
    html: '<p>Schöne Grüße</p>',
    received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect(items[0]).toMatchObject({ to: 'first@x.test', text: 'Hello', html: null });
});

it('the mail catcher finds mails by recipient, id and number, and deletes them on request', async () => {
  const catcher = await startCatcher();
  for (const to of ['a@x.test', 'b@x.test', 'A@x.test']) await send(catcher, { to });

  expect(ids(await messages(catcher, '?to=a@X.test'))).toEqual(['1', '3']);
  expect(ids(await messages(catcher, '?limit=2'))).toEqual(['2', '3']);
  expect(ids(await messages(catcher, '?after=2'))).toEqual(['3']);
  expect(await (await fetch(`${catcher.url}/messages/2`)).json()).toMatchObject({ id: '2', to: 'b@x.test' });
  expect((await fetch(`${catcher.url}/messages/9`)).status).toBe(404);

  expect((await fetch(`${catcher.url}/messages`, { method: 'DELETE' })).status).toBe(204);
  expect(ids(await messages(catcher))).toEqual([]);
});

it('the mail catcher keeps its mails across a restart', async () => {
  const file = join(folder, 'kept.ndjson');
  const first = await startCatcher(file);
  await send(first, { to: 'kept@x.test', text: 'Grüße' });
  await first.stop();
  running.pop();

  const second = await startCatcher(file);
  await send(second, { to: 'later@x.test' });
  expect((await messages(second)).items).toMatchObject([
    { id: '1', to: 'kept@x.test', text: 'Grüße' },
    { id: '2', to: 'later@x.test' },
  ]);
});

it('the mail catcher refuses the sandbox recipients like a mail server', async () => {
  const catcher = await startCatcher();

  await expect(send(catcher, { to: 'x@bounce.sandbox' })).rejects.toMatchObject({ responseCode: 550 });
  await expect(send(catcher, { to: 'x@DEFER.sandbox' })).rejects.toMatchObject({ responseCode: 451 });
  expect(ids(await messages(catcher))).toEqual([]);
});

it('the mail catcher shows hostile mail as text, and its HTML without any permissions', async () => {
  const catcher = await startCatcher();
  const attack = `"><script>alert('x')</script>`;
  await send(catcher, { to: 'a@x.test', subject: attack, text: attack, html: attack, headers: { 'X-Attack': attack } });

  for (const path of ['/', '/read/1']) {
    const page = await fetch(catcher.url + path);
    expect(await page.text()).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  }
  expect(await (await fetch(`${catcher.url}/read/1`)).text()).toMatch(
    /<iframe sandbox [^>]*srcdoc="&#34;&#62;&#60;script/,
  );
});

async function startCatcher(file = join(folder, `${running.length}-${Date.now()}.ndjson`)): Promise<MailCatcher> {
  const catcher = await startMailCatcher({ smtpPort: await anyFreePort(), httpPort: await anyFreePort(), file });
  running.push(catcher);
  return catcher;
}

async function send(catcher: MailCatcher, mail: SendMailOptions) {
  const transport = nodemailer.createTransport(catcher.smtpUrl);
  await transport.sendMail({ from: 'hello@x.test', subject: 'Hi', ...(mail.html ? {} : { text: 'Hello' }), ...mail });
}

async function messages({ url }: MailCatcher, search = ''): Promise<{ items: Record<string, string>[] }> {
  return (await fetch(`${url}/messages${search}`)).json() as Promise<{ items: Record<string, string>[] }>;
}

const ids = ({ items }: { items: Record<string, string>[] }) => items.map(({ id }) => id);
