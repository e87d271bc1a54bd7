import fc from 'fast-check';
import { newId } from '../../src/ids.ts';
import { createEgress } from '../../src/providers/egress/egress.ts';
import { isSlackSignature, readSlackCallback } from '../../src/providers/slack/callbacks.ts';
import { downloadSlackFile } from '../../src/providers/slack/media.ts';
import { createSlackSender } from '../../src/providers/slack/sender.ts';
import { fromSlackText, toSlackText } from '../../src/providers/slack/text.rules.ts';
import { startFakeSlack } from '../support/fakes/slack.ts';

/** The example of Slack's documentation on verifying requests. */
const PUBLISHED = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  timestamp: '1531420618',
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  body: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ),
};

const isSigned = (
  { secret, timestamp, signature, body }: Partial<typeof PUBLISHED>,
  at = new Date(Number(PUBLISHED.timestamp) * 1_000),
) =>
  isSlackSignature(
    secret ?? PUBLISHED.secret,
    body ?? PUBLISHED.body,
    {
      'x-slack-request-timestamp': timestamp ?? PUBLISHED.timestamp,
      'x-slack-signature': signature ?? PUBLISHED.signature,
    },
    at,
  );

describe('the signature of a Slack callback', () => {
  it('is accepted as Slack documents it, within five minutes', () => {
    const later = (seconds: number) => new Date((Number(PUBLISHED.timestamp) + seconds) * 1_000);
    expect([isSigned({}), isSigned({}, later(300)), isSigned({}, later(-300))]).toEqual([true, true, true]);
    expect([isSigned({}, later(301)), isSigned({}, later(-301))]).toEqual([false, false]);
  });

  it.each([
    ['another secret', { secret: 'other' }],
    ['another time', { timestamp: '1531420619' }],
    ['a time that is none', { timestamp: '1531420618 ' }],
    ['another signature', { signature: PUBLISHED.signature.replace('a2', 'a3') }],
    ['another body', { body: Buffer.from('token=') }],
  ])('is refused with %s', (_name, changed) => {
    expect(isSigned(changed)).toBe(false);
  });
});

it('a plain text that goes to Slack and comes back is the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => fromSlackText(toSlackText(text), undefined) === text),
  );
});

it.each([
  ['<@U1|ada> and <@U2>', '@ada and @U2'],
  ['<#C1|general> <!here> <!subteam^S1|@team>', '#general @here @team'],
  [
    '<https://a.example> <https://a.example|a> <mailto:a@b.example|a@b.example>',
    'https://a.example a (https://a.example) a@b.example',
  ],
  ['1 &lt; 2 &amp;amp; 3', '1 < 2 &amp; 3'],
])('the text %s of Slack reads %s', (text, plain) => {
  expect(fromSlackText(text, undefined)).toBe(plain);
});

it('a callback of any form is read without an error', () => {
  const event = fc.oneof(
    fc.jsonValue(),
    fc.record({
      type: fc.constantFrom('message', 'app_mention', 'reaction_added'),
      subtype: fc.option(fc.constantFrom('file_share', 'message_changed', 'message_deleted'), { nil: undefined }),
      channel: fc.constant('C1'),
      user: fc.constant('U1'),
      ts: fc.constant('1.1'),
      text: fc.jsonValue(),
      files: fc.jsonValue(),
      message: fc.jsonValue(),
    }),
  );
  fc.assert(
    fc.property(event, (one) => {
      const { messages } = readSlackCallback({ type: 'event_callback', event: one });
      return messages.length <= 1;
    }),
  );
});

const read = (event: object) =>
  readSlackCallback({
    type: 'event_callback',
    event: { type: 'message', channel: 'C1', ...event },
    authorizations: [{ user_id: 'U0BOT', is_bot: true }],
  }).messages;

const at = (seconds: number) => `${1_700_000_000 + seconds}.000100`;
const timeAt = (seconds: number) => new Date(Number(at(seconds)) * 1_000);
const edited = {
  subtype: 'message_changed',
  ts: at(9),
  message: { user: 'U1', text: 'b', ts: at(0), edited: { ts: at(5) } },
};
const deleted = { subtype: 'message_deleted', ts: at(9), deleted_ts: at(0), previous_message: edited.message };
const replaced = {
  subtype: 'message_changed',
  ts: at(9),
  message: { subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.', ts: at(0) },
  previous_message: edited.message,
};

it.each([
  ['an edit', edited, { sentAt: timeAt(5), change: { kind: 'edit', of: `C1:${at(0)}` } }],
  ['a deletion', deleted, { sentAt: timeAt(9), change: { kind: 'deletion', of: `C1:${at(0)}` } }],
  [
    'a deletion of a message with replies',
    replaced,
    { sentAt: timeAt(9), change: { kind: 'deletion', of: `C1:${at(0)}` } },
  ],
])('%s is of the time when it was made', (_name, event, message) => {
  expect(read(event)).toMatchObject([{ from: 'U1', ...message }]);
});

it('what our own user writes, edits or deletes is left out, and bot_id may be null', () => {
  const file = { subtype: 'file_share', ts: at(0), text: '', files: [{ id: 'F1', mimetype: 'image/png' }] };
  expect(read({ ...file, user: 'U1', bot_id: null })).toHaveLength(1);
  const own = { ...edited.message, user: 'U0BOT' };
  const events = [
    { ...file, user: 'U0BOT' },
    { ...edited, message: own },
    { ...deleted, previous_message: own },
  ];
  expect(events.flatMap(read)).toEqual([]);
});

it.each([
  ['internal_error', true],
  ['ratelimited', true],
  ['file_not_found', true],
  ['file_deleted', false],
])('a file that Slack withholds by %s is tried again: %s', async (error, transient) => {
  const slack = await startFakeSlack();
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  slack.next({ error });
  const settings = { base_url: slack.url, bot_token: slack.botToken };
  await expect(downloadSlackFile(egress, settings, 'F1', 10)).rejects.toMatchObject({ transient });
  await egress.close();
  await slack.close();
});

it('a message whose answer is lost is found in its thread by our id, another is not', async () => {
  const slack = await startFakeSlack();
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  const sender = createSlackSender(egress, { base_url: slack.url, bot_token: slack.botToken });
  const message = { deliveryId: newId(), to: `${slack.channel}:1700000000.000100`, text: 'Hi', files: [] };
  slack.next('reset-after');
  expect(await sender.send(message)).toMatchObject({ kind: 'unknown' });
  const look = (deliveryId: string) =>
    sender.findLostSend?.({ deliveryId, to: message.to, body: 'Hi', since: new Date() });
  expect(await look(message.deliveryId)).toEqual({
    kind: 'accepted',
    providerId: `${slack.channel}:${slack.posts[0]?.ts}`,
  });
  expect(await look(newId())).toBeUndefined();
  await egress.close();
  await slack.close();
});
