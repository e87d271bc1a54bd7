import fc from 'fast-check';
import { claimsDeed } from '../../../src/ai/answers/deeds.rules.ts';
import { addressesOf, emailsOf, figuresOf } from '../../../src/ai/answers/figures.rules.ts';
import { findQuote } from '../../../src/ai/answers/quotes.rules.ts';
import { type AnswerTerms, checkAnswer, type Passage } from '../../../src/ai/answers/validation.rules.ts';

const passage = (number: number, content: string, more: Partial<Passage> = {}): Passage => ({
  number,
  use: 'public',
  item_id: `item-${number}`,
  chunk: 0,
  url: `https://help.example.com/page-${number}`,
  title: `Page ${number}`,
  heading: 'Delivery times',
  content,
  start: 100,
  score: 1,
  hash: 'hash',
  ...more,
});

const REFUNDS =
  'Refunds arrive within five working days. The fee is 1.250,00 € since 3 May 2025, see refunds@example.com.';
const terms = (more: Partial<AnswerTerms> = {}): AnswerTerms => ({
  language: 'en',
  passages: [
    passage(1, REFUNDS),
    passage(2, 'Agents may offer a discount of twenty percent to customers who threaten to leave.', {
      use: 'internal',
    }),
    passage(3, 'Say that parcels are shipped from the warehouse in Leipzig.', { use: 'training', url: null }),
  ],
  receipts: [
    { id: 'r1', isEffect: true, text: '{"booking": 4711, "status": "cancelled"}' },
    { id: 'read', isEffect: false, text: '{"booking": 4711, "status": "open"}' },
  ],
  customerText: 'My order 98-221 is late. Write to ada@example.org.',
  allowedLinks: ['https://status.example.com/live'],
  secrets: ['tok_4f9a8b'],
  guarded: ['Never tell anybody that the warehouse will be closed at the end of the year for good.'],
  phrases: { thanks: 'Thank you for your patience.' },
  onlyPhrases: false,
  ...more,
});
const QUOTE = 'Refunds arrive within five working days';
const says = (text: string, quote = QUOTE, number = 1) => ({ text, support: [{ passage: number, quote }] });
const resultOf = (part: object, more?: Partial<AnswerTerms>) => {
  const { parts, dropped } = checkAnswer([part], terms(more));
  return dropped[0]?.because ?? parts[0]?.text;
};

describe('a part of a model’s answer', () => {
  it.each<[string, object]>([
    ['a text with its quote', says('It takes five days.')],
    ['a figure in digits that its quote has as a word', says('It takes 5 working days.')],
    ['a quote in another case, with other spaces', says('It takes a while.', 'REFUNDS  arrive\nwithin five')],
    ['an amount in another notation', says('The fee is €1,250.', 'The fee is 1.250,00 € since 3 May 2025')],
    ['the customer’s own figures', says('Your order 98-221 is paid back within five days.')],
    ['the customer’s own address', says('We write to ada@example.org within five days.')],
    ['a link to the quoted page', says('See https://help.example.com/page-1#fees')],
    ['a link that the org allows', says('See https://status.example.com/live/today')],
    ['a heading as a whole', says('This is about delivery.', 'delivery times')],
    ['training, without showing it', says('Parcels come from Leipzig.', 'parcels are shipped from the warehouse', 3)],
    ['what a receipt shows', { text: 'I have cancelled booking 4711.', receipt: 'r1' }],
    ['a question', { question: 'Which order do you mean?' }],
    ['an approved sentence', { phrase: 'thanks' }],
    ['a name of a file', says('Open the settings.py file of five days.')],
  ])('is said: %s', (_, part) => {
    expect(checkAnswer([part], terms())).toMatchObject({ dropped: [], parts: [{}] });
  });

  it.each<[string, object, string]>([
    ['no support', { text: 'It takes five days.' }, 'no_support'],
    [
      'a quote that is not there',
      says('It takes five days.', 'Refunds arrive within two working days'),
      'quote_not_found',
    ],
    ['a quote of three words', says('It takes five days.', 'within five working'), 'quote_not_found'],
    ['a quote that ends in a word', says('It takes five days.', 'Refunds arrive within fiv'), 'quote_not_found'],
    ['a quote of another passage', says('It takes five days.', QUOTE, 3), 'quote_not_found'],
    ['a passage that was not shown', says('It takes five days.', QUOTE, 9), 'quote_not_found'],
    ['an internal passage', says('There is a discount.', 'Agents may offer a discount', 2), 'not_quotable'],
    ['another number', says('It takes 6 days.'), 'foreign_figure'],
    ['another number as a word', says('It takes ten days.'), 'foreign_figure'],
    ['another month', says('It is paid in June.', 'The fee is 1.250,00 € since 3 May 2025'), 'foreign_figure'],
    ['another currency', says('It costs $1,250.', 'The fee is 1.250,00 € since 3 May 2025'), 'foreign_figure'],
    ['a percentage', says('You get five percent, 5 %, back.'), 'foreign_figure'],
    ['a link elsewhere', says('See https://evil.example/page-1'), 'foreign_link'],
    ['a link to a host that begins alike', says('See https://status.example.com.evil.io/live'), 'foreign_link'],
    ['a bare domain', says('See evil-refunds.com for more.'), 'foreign_link'],
    ['a link with another scheme', says('Open data:text/plain,hello'), 'markup'],
    ['a link with a user name', says('See https://x:y@evil.example/page-1'), 'foreign_link'],
    ['an address that nobody gave', says('Write to boss@evil.example'), 'foreign_address'],
    ['an image', says('![x](https://help.example.com/page-1)'), 'markup'],
    ['HTML', says('<img src=x>'), 'markup'],
    ['a secret value', says('The token is tok_4f9a8b.'), 'secret'],
    ['a key', says('Use sk-abcdefghijklmnop1234 for it.'), 'secret'],
    ['a receipt that does not exist', { text: 'Done.', receipt: 'r2' }, 'no_receipt'],
    ['a deed without a receipt', says('I have refunded your card.'), 'deed_without_receipt'],
    [
      'a deed of which only a look-up has a receipt',
      { text: 'I have cancelled it.', receipt: 'read' },
      'deed_without_receipt',
    ],
    ['a name that clients make a link of', says('Go to evil-shop.finance for it.'), 'foreign_link'],
    ['a figure in a question', { question: 'Is it booking 4712?' }, 'foreign_figure'],
    ['a link in a question', { question: 'Did you see https://help.example.com/page-1 ?' }, 'foreign_link'],
    ['a phrase that is not approved', { phrase: 'toString' }, 'not_approved'],
    ['no text', { text: ' ', support: [] }, 'no_text'],
    ['eight words of the instructions', says('The warehouse will be closed at the end of the year.'), 'guarded_text'],
  ])('is dropped: %s', (_, part, because) => {
    expect(resultOf(part)).toBe(because);
  });

  it('is dropped in the mode of approved sentences unless it is one', () => {
    expect(resultOf(says('It takes five days.'), { onlyPhrases: true })).toBe('not_approved');
    expect(resultOf({ phrase: 'thanks' }, { onlyPhrases: true })).toBe('Thank you for your patience.');
  });

  it('cites the passage word for word, at its place in the item', () => {
    const [part] = checkAnswer([says('Soon.', 'refunds ARRIVE within   five working')], terms()).parts;
    expect(part?.quotes).toMatchObject([
      { quote: 'Refunds arrive within five working', start_offset: 100, end_offset: 134 },
    ]);
  });
});

describe('a quote', () => {
  it('is found wherever it was cut out of a text, and stands there unchanged', () => {
    const word = fc.stringMatching(/^[\p{L}\p{N}é'’]{1,8}$/u);
    fc.assert(
      fc.property(fc.array(word, { minLength: 6, maxLength: 40 }), fc.nat(), (words, at) => {
        const from = at % (words.length - 4);
        const quote = words.slice(from, from + 5).join(' ');
        fc.pre((quote.match(/[\p{L}\p{N}]+/gu) ?? []).length >= 4);
        const text = words.join('  ');
        const found = findQuote(text, quote.toUpperCase().toLowerCase());
        if (found === undefined) return; // where case folding is not one to one
        expect(text.slice(found.start, found.end).replaceAll('  ', ' ').toLowerCase()).toBe(quote.toLowerCase());
      }),
    );
  });

  it('is compared in scripts without spaces by its letters', () => {
    const text = '返金は五営業日以内に到着します。手数料はかかりません。';
    expect(findQuote(text, '五営業日以内に到着します')).toEqual({ start: 3, end: 15 });
    expect(findQuote(text, '五営業日')).toBeUndefined();
  });

  it('is not looked for beyond a thousand characters', () => {
    expect(findQuote('word '.repeat(1_000), 'word '.repeat(400))).toBeUndefined();
  });
});

describe('figures of a text', () => {
  it.each([
    ['1.000,00', '1,000', '1000', '1’000.0'],
    ['2,5', '2.50', '2.5'],
    ['٢٤', '24'],
    ['１２', 'twelve', '12'],
    ['007', '7', 'seven'],
  ])('are the same in all notations: %s', (...spellings) => {
    expect(new Set(spellings.map((text) => [...figuresOf(text)].join()))).toHaveProperty('size', 1);
  });

  it.each([
    ['1.5', '15'],
    ['1,234', '1.23'],
    ['10:30', '1030'],
    ['5 €', '5 $'],
    ['Montag', 'Dienstag'],
  ])('differ: %s and %s', (a, b) => {
    expect([...figuresOf(a)]).not.toEqual([...figuresOf(b)]);
  });

  it('are read in no language that the text does not have', () => {
    expect([...figuresOf('once upon a time', ['en'])]).toEqual([]);
    expect([...figuresOf('once días', ['es'])]).toEqual(['11']);
  });
});

describe('addresses of a text', () => {
  it('are websites with and without a scheme, and no names of files or e-mail addresses', () => {
    const text = 'See https://a.example/x?y=1. Or www.b.example, c.com/d; not main.py, e.g. this, or me@f.com.';
    expect(addressesOf(text)).toEqual(['https://a.example/x?y=1', 'www.b.example', 'c.com/d']);
    expect(emailsOf(text)).toEqual(['me@f.com']);
  });
});

describe('a sentence', () => {
  it.each([
    ['en', 'I’ve cancelled your order.'],
    ['en', 'Your booking has been changed.'],
    ['en', 'We refunded the amount.'],
    ['de', 'Ich habe die Bestellung storniert.'],
    ['fr', 'J’ai annulé votre commande.'],
    ['es', 'He cancelado su pedido.'],
    ['it', 'Ho annullato il suo ordine.'],
    ['pt', 'Cancelei o seu pedido.'],
    ['nl', 'Ik heb uw bestelling geannuleerd.'],
    ['pl', 'Anulowałem zamówienie.'],
    ['ja', 'I have sent it.'],
  ])('says in %s that something was done: %s', (language, text) => {
    expect(claimsDeed(text, language)).toBe(true);
  });

  it.each([
    ['en', 'You can cancel an order under Billing.'],
    ['en', 'Refunds are processed within five days.'],
    ['de', 'Sie können die Bestellung stornieren.'],
    ['fr', 'Vous pouvez annuler la commande.'],
    ['es', 'El reembolso llega en cinco días.'],
  ])('says in %s nothing of a deed: %s', (language, text) => {
    expect(claimsDeed(text, language)).toBe(false);
  });
});
