import fc from 'fast-check';
import { directFiles, directParts, dividedText } from '../../src/deliveries/messages/direct-parts.rules.ts';
import { newId } from '../../src/ids.ts';
import { createEgress } from '../../src/providers/egress/egress.ts';
import { readDirectCallback } from '../../src/providers/meta/direct-messages/callbacks.ts';
import { createDirectSender } from '../../src/providers/meta/direct-messages/sender.ts';
import { startFakeDirectMessages } from '../support/fakes/direct-messages.ts';

it('a long text is divided into parts of at most so many bytes, and nothing but spaces between them is lost', () => {
  const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { maxLength: 60 });
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 80 }), (given, maxBytes) => {
      const text = given.join(' ');
      const parts = dividedText(text, maxBytes);
      expect(parts.every((part) => Buffer.byteLength(part) <= maxBytes && part.isWellFormed())).toBe(true);
      expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    }),
  );
});

it('a text is divided where it has a break', () => {
  expect(dividedText('One two three.\n\nFour five', 20)).toEqual(['One two three.', 'Four five']);
  expect(dividedText('One two three four', 14)).toEqual(['One two three', 'four']);
});

it('a callback of any form is read without an error', () => {
  const event = fc.oneof(
    fc.jsonValue(),
    fc.record({
      sender: fc.constant({ id: '7' }),
      timestamp: fc.oneof(fc.integer(), fc.constant(undefined)),
      message: fc.oneof(
        fc.jsonValue(),
        fc.record({ mid: fc.constant('m_1'), attachments: fc.jsonValue(), text: fc.jsonValue() }),
      ),
    }),
  );
  fc.assert(
    fc.property(fc.array(event), (messaging) => {
      const { messages } = readDirectCallback({ entry: [{ id: '1', messaging }] }, '1');
      return messages.every(({ to, from }) => to === '1' && from === '7');
    }),
  );
});

it('a file goes by the kind that the channel knows, and by a link where it takes none', () => {
  const file = (mimeType: string) => ({
    mediaId: mimeType,
    name: 'f',
    mimeType,
    size: 1,
    url: `https://x/${mimeType}`,
  });
  const files = ['image/png', 'audio/ogg', 'application/pdf'].map(file);
  const sentOn = (channel: 'messenger' | 'instagram') => {
    const { attached, linked } = directFiles(channel, files);
    const kinds = directParts(channel, '', attached).map((part) => ('file' in part ? part.file.kind : 'text'));
    return [kinds, linked.map(({ mimeType }) => mimeType)];
  };
  expect(sentOn('messenger')).toEqual([['image', 'file', 'file'], []]);
  expect(sentOn('instagram')).toEqual([['image', 'file'], ['audio/ogg']]);
});

it.each([2018278, 2534022])('a message outside of the window (%i) is refused for good', async (subcode) => {
  const meta = await startFakeDirectMessages('instagram');
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  const { url: base_url, accessToken: access_token, account } = meta;
  const sender = createDirectSender(egress, { base_url, access_token, account, isMessenger: false });
  meta.next({ status: 400, code: 10, subcode });
  const outcome = await sender.send({ deliveryId: newId(), to: '7', text: 'Hi' });
  expect(outcome).toMatchObject({ kind: 'rejected', because: 'permanent' });
  await egress.close();
  await meta.close();
});
