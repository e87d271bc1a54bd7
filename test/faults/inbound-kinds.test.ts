import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PNG } from '../media/samples.ts';
import { connectInstagram, connectMessenger, connectSlack, connectTwilio, FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeDirectMessages, startFakeDirectMessages } from '../support/fakes/direct-messages.ts';
import { type FakeSlack, startFakeSlack } from '../support/fakes/slack.ts';
import { type FakeTwilio, startFakeTwilio } from '../support/fakes/twilio.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { FILES, IS_LONG, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** The others have tests of their own: e-mail, WhatsApp and calls. */
const KINDS = ['sms', 'slack', 'messenger', 'instagram'] as const;
type Kind = (typeof KINDS)[number];
const inLongTier = IS_LONG ? describe : describe.skip;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

inLongTier('messages with files of every kind', () => {
  let stack: FaultStack;
  let org: FaultOrg;
  let folder: string;
  let twilio: FakeTwilio;
  let slack: FakeSlack;
  let messenger: FakeDirectMessages;
  let instagram: FakeDirectMessages;
  let urls: Record<Kind, string>;
  beforeAll(async () => {
    [twilio, slack, messenger, instagram] = await Promise.all([
      startFakeTwilio(),
      startFakeSlack(),
      startFakeDirectMessages('messenger'),
      startFakeDirectMessages('instagram'),
    ]);
    folder = await mkdtemp(join(tmpdir(), 'switchboard-files-'));
    stack = await startFaultStack({ env: { ...FAKES_ALLOWED, STORAGE_URL: pathToFileURL(folder).href } });
    org = await stack.newOrg();
    const connecting = { put: (path: string, body: object) => org.call('PUT', path, body) };
    urls = {
      sms: await connectTwilio(connecting, twilio),
      slack: await connectSlack(connecting, slack),
      messenger: await connectMessenger(connecting, messenger),
      instagram: await connectInstagram(connecting, instagram),
    };
  }, TEST_LIMIT_MS);
  afterAll(async () => {
    await stack.close();
    await Promise.all([twilio, slack, messenger, instagram].map((fake) => fake.close()));
    await rm(folder, { recursive: true, force: true });
  });

  /** Posts one message with a file as its provider does. Repeated, it is the same message. */
  const RECEIVE: Record<Kind, (nth: number) => Promise<number>> = {
    sms(nth) {
      const file = `/2010-04-01/Accounts/${twilio.accountSid}/Messages/MM${nth}/Media/ME${nth}`;
      twilio.files.set(file, { type: 'image/png', bytes: PNG });
      const sid = `MM${String(nth).padStart(32, '0')}`;
      const message = { from: `+1415556${String(nth).padStart(4, '0')}`, to: '+15005550006', sid, media: [file] };
      return twilio.receive({ ...message, body: `Message ${nth}` }, urls.sms);
    },
    slack(nth) {
      slack.files.set(`F${nth}`, PNG);
      const ts = `${1_710_000_000 + nth}.000100`;
      const files = [{ id: `F${nth}`, name: 'photo.png', mimetype: 'image/png' }];
      const message = { type: 'message', subtype: 'file_share', channel: slack.channel, user: `U${nth}`, ts, files };
      return slack.event(urls.slack, { ...message, text: `Message ${nth}` });
    },
    messenger: (nth) => direct(messenger, urls.messenger, nth),
    instagram: (nth) => direct(instagram, urls.instagram, nth),
  };
  async function direct(fake: FakeDirectMessages, url: string, nth: number): Promise<number> {
    fake.files.set('photo', PNG);
    const attachments = [{ type: 'image', payload: { url: `${fake.url}/cdn/photo` } }];
    const message = {
      from: String(800_000_000 + nth),
      mid: `${fake.account}_${nth}`,
      text: `Message ${nth}`,
      attachments,
    };
    return (await fake.receive(url, message)).status;
  }
  const persistently = async (post: () => Promise<number>) => {
    while ((await post().catch(() => 0)) !== 200) await pause(100);
  };

  it.each(KINDS)(
    'by %s are in a session, once, when the worker and the api are killed repeatedly',
    async (kind) => {
      let isSent = false;
      const sending = (async () => {
        for (let nth = 0; nth < FILES; nth++) await persistently(() => RECEIVE[kind](nth));
        isSent = true;
      })();
      for (let kill = 0; kill < KILLS || !isSent; kill++)
        for (const program of [stack.worker, stack.api]) {
          await pause(Math.random() * 1_000);
          await program.kill();
          await program.start();
        }
      await sending;
      const sessionsOf = async () =>
        (await org.call('GET', `/chat/sessions?channel_type=${kind}&limit=100`)).body.items as { id: string }[];
      await until('every message has a session', async () => (await sessionsOf()).length >= FILES, TEST_LIMIT_MS);
      const sessions = await sessionsOf();
      expect(sessions).toHaveLength(FILES);
      const texts: (string | undefined)[] = [];
      for (const { id } of sessions) {
        const { items } = (await org.call('GET', `/chat/sessions/${id}/history`)).body;
        const messages = items.flatMap(({ event }: { event: { type: string } }) =>
          event.type === 'message' ? event : [],
        );
        expect(messages).toMatchObject([{ attachments: [{ mime_type: 'image/png' }] }]);
        texts.push(messages[0].content.text);
        const file = await fetch(messages[0].attachments[0].url);
        expect(Buffer.from(await file.arrayBuffer())).toEqual(PNG);
      }
      expect(texts.toSorted()).toEqual(Array.from({ length: FILES }, (_, nth) => `Message ${nth}`).toSorted());
    },
    TEST_LIMIT_MS,
  );
});
