import fc from 'fast-check';
import { ownWordsOf } from '../../../src/conversations/own-words/own-words.rules.ts';
import { chooseSentences } from '../../../src/conversations/summary/choice.rules.ts';
import { withoutGreeting } from '../../../src/conversations/summary/greetings.rules.ts';
import { sentencesOf } from '../../../src/conversations/summary/sentences.rules.ts';
import { summaryOf } from '../../../src/conversations/summary/summary.rules.ts';

const at = (message: number, sentence: number) => ({ message, sentence });

describe('the choice of sentences', () => {
  it.each([
    ['nothing of nothing', [], []],
    ['nothing of messages without sentences', [[], []], []],
    ['all of a short conversation', [[5], [3]], [at(0, 0), at(1, 0)]],
    [
      'the longest of the first message and the three longest of all others, in their order',
      [
        [2, 4, 1],
        [9, 1, 7],
        [8, 2],
      ],
      [at(0, 1), at(1, 0), at(1, 2), at(2, 0)],
    ],
    ['a first message that is longer than the rest', [[9, 8, 7, 6, 5], [1]], [at(0, 0), at(0, 1), at(0, 2), at(0, 3)]],
    [
      'the first message with sentences where those before have none',
      [[], [1], [5, 6, 7]],
      [at(1, 0), at(2, 0), at(2, 1), at(2, 2)],
    ],
    [
      'the earlier of equally long ones',
      [
        [3, 3],
        [3, 3, 3, 3],
      ],
      [at(0, 0), at(0, 1), at(1, 0), at(1, 1)],
    ],
  ])('is %s', (_, lengths, chosen) => {
    expect(chooseSentences(lengths)).toEqual(chosen);
  });

  const lengths = fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 }), { maxLength: 8 });

  it('has at most four different sentences in order, one of the first message, and no longer one is left out of the rest', () => {
    fc.assert(
      fc.property(lengths, (given) => {
        const chosen = chooseSentences(given);
        const keys = chosen.map(({ message, sentence }) => message * 100 + sentence);
        expect(keys).toEqual([...new Set(keys)].sort((a, b) => a - b));
        const all = given.flatMap((ofMessage, message) => ofMessage.map((_, sentence) => at(message, sentence)));
        expect(chosen).toHaveLength(Math.min(4, all.length));
        const lengthOf = ({ message, sentence }: { message: number; sentence: number }) =>
          given[message]?.[sentence] ?? 0;
        const first = given.find((ofMessage) => ofMessage.length > 0) ?? [];
        const opening = chosen.find((one) => given[one.message] === first && lengthOf(one) === Math.max(...first));
        if (all.length > 0) expect(opening).toBeDefined();
        const shortest = Math.min(...chosen.filter((one) => one !== opening).map(lengthOf));
        const left = all.filter(({ message, sentence }) => !keys.includes(message * 100 + sentence));
        for (const one of left) expect(lengthOf(one)).toBeLessThanOrEqual(shortest);
      }),
    );
  });
});

describe('a text without its greeting', () => {
  it.each([
    ['a name', 'Hi Ann,\nmy parcel is lost.', 'my parcel is lost.'],
    ['more in the sentence', 'Hello there, where is it?', 'where is it?'],
    ['another greeting', 'Hi! Good morning, where is it?', 'where is it?'],
    ['a form of address', 'Dear Sir or Madam,\n\nThe lamp broke.', 'The lamp broke.'],
    ['a name in German', 'Guten Tag Frau Müller,\nwo ist mein Paket?', 'wo ist mein Paket?'],
    ['a question in Chinese', '您好，我的订单在哪里？', '我的订单在哪里？'],
    ['a question in Arabic', 'السلام عليكم، أين طلبي؟', 'أين طلبي؟'],
    ['nothing', 'Hello!', ''],
  ])('is what follows it, with %s after it', (_, text, left) => {
    expect(withoutGreeting(text).trim()).toBe(left);
  });

  it.each([['Hello I am Ann and my lamp broke'], ['Hi-fi systems do not work'], ['你好我的订单在哪里']])(
    'is the whole of %j',
    (text) => {
      expect(withoutGreeting(text)).toBe(text);
    },
  );
});

describe('the sentences of a text', () => {
  it.each([
    ['English', 'It broke! Why? I paid 3.50 for it.', ['It broke!', 'Why?', 'I paid 3.50 for it.']],
    ['Chinese', '你好。我的订单在哪里？谢谢！', ['你好。', '我的订单在哪里？', '谢谢！']],
    ['Japanese', '壊れました。返品できますか？', ['壊れました。', '返品できますか？']],
    ['Hindi', 'मेरा ऑर्डर कहाँ है? मुझे पैसा चाहिए।', ['मेरा ऑर्डर कहाँ है?', 'मुझे पैसा चाहिए।']],
    ['Arabic', 'أين طلبي؟ أريد استرداد المال.', ['أين طلبي؟', 'أريد استرداد المال.']],
    ['Greek', 'Πού είναι; Δεν ξέρω.', ['Πού είναι;', 'Δεν ξέρω.']],
    ['Thai', 'สินค้าเสียหาย\nต้องการคืนเงิน', ['สินค้าเสียหาย', 'ต้องการคืนเงิน']],
    ['lines', 'Order 17\nTwo lamps', ['Order 17', 'Two lamps']],
    [
      'lines broken by a mail program',
      'The lamp that I bought in May\nis broken.',
      ['The lamp that I bought in May is broken.'],
    ],
    ['signs alone', '👍 !!! ...', []],
  ])('are told apart: %s', (_, text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences);
  });
});

describe('a summary', () => {
  it('says who said each sentence', () => {
    expect(
      summaryOf([
        { sender: 'contact', text: 'Hello! The lamp that I bought is broken.' },
        { sender: 'ai', text: 'Here is what our pages say:\n\n> Lamps have a warranty.\n\nIs that what you need?' },
        { sender: 'human_agent', text: 'We send a new one.' },
        { sender: 'contact', text: 'Thanks' },
      ]),
    ).toBe(
      'Customer: The lamp that I bought is broken.\nAI: Is that what you need?\nAgent: We send a new one.\nCustomer: Thanks',
    );
  });

  it('is null where nobody has said anything but greetings', () => {
    expect(summaryOf([])).toBeNull();
    expect(
      summaryOf([
        { sender: 'contact', text: 'Hi!' },
        { sender: 'contact', text: '' },
      ]),
    ).toBeNull();
  });

  it('has at most four lines for any conversation, of at most 300 characters of one message each', () => {
    const sender = fc.constantFrom('contact', 'ai', 'human_agent', 'system');
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 700 }),
      fc.string({
        unit: fc.constantFrom('a', 'B', '.', ' ', '\n', '>', ':', '-', '1', '👍🏽', '你', '。'),
        maxLength: 700,
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ sender, text }), { maxLength: 6 }), (messages) => {
        const summary = summaryOf(messages as Parameters<typeof summaryOf>[0]);
        const lines = summary === null ? [] : summary.split('\n');
        expect(lines.length).toBeLessThanOrEqual(4);
        const words = (given: string) => given.toWellFormed().replaceAll(/\s+/g, ' ');
        // A sentence may begin before a quotation and end after it. The quotation is not part of it.
        const said = messages.map(({ text }) => words(ownWordsOf(text)));
        for (const line of lines) {
          const [, sentence = ''] = /^(?:Customer|Agent|AI|System): (.+)$/s.exec(line) ?? [];
          expect(sentence).not.toBe('');
          expect(sentence.length).toBeLessThanOrEqual(300);
          const start = (sentence.length === 300 ? sentence.slice(0, 290) : sentence).toWellFormed();
          expect(said.some((own) => own.includes(start.replace(/�$/, '')))).toBe(true);
        }
      }),
      { examples: [[[{ sender: 'contact', text: 'a\n>\na' }]], [[{ sender: 'contact', text: 'a\n:\n>\na' }]]] },
    );
  });
});
