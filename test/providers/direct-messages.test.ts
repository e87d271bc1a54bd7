import fc from 'fast-check';
import { directFiles, directParts, dividedText } from '../../src/deliveries/messages/direct-parts.rules.ts';
import { readDirectCallback } from '../../src/providers/meta/direct-messages/callbacks.ts';

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
