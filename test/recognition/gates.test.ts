import fc from 'fast-check';
import { isAutomatedMail, isAutomaticMail } from '../../src/deliveries/mail/automatic-mail.rules.ts';
import { decideGate, type GateFacts } from '../../src/recognition/gates.rules.ts';
import {
  asksForPerson,
  findProhibitedTopic,
  isAcknowledgement,
  isEmptyMessage,
  isSameQuestion,
  readDecision,
  resolvesIssue,
} from '../../src/recognition/recognition.rules.ts';
import {
  LANGUAGES_WITH_PHRASES,
  languageWithPhrases,
  SENTENCE_KEYS,
  sentenceOf,
} from '../../src/recognition/sentences.rules.ts';
import { Language } from '../../src/schemas/parts.ts';
import { cpuTimeOf } from '../support/measure.ts';

const FACTS: GateFacts = {
  aiState: 'on',
  isBlocked: false,
  isClosed: false,
  peopleHaveIt: false,
  isAutoSubmitted: false,
  text: 'Where is my order?',
  hasOnlyAttachments: false,
  language: 'en',
  otherLanguages: [],
  prohibitedTopics: ['tax advice'],
  isBudgetLeft: true,
  repeatsQuestion: false,
  turnsWithoutProgress: 0,
  maxTurnsWithoutProgress: 3,
  waitingConfirmation: false,
};

/** What each gate needs to hold, and what it decides, in the order of the gates. */
const GATES: [Partial<GateFacts>, ReturnType<typeof decideGate>][] = [
  [{ aiState: 'off' }, { kind: 'skip', reason: 'off' }],
  [{ isBlocked: true }, { kind: 'skip', reason: 'blocked' }],
  [{ isClosed: true }, { kind: 'skip', reason: 'people_have_it' }],
  [{ peopleHaveIt: true }, { kind: 'skip', reason: 'people_have_it' }],
  [{ isAutoSubmitted: true }, { kind: 'skip', reason: 'auto_reply' }],
  [{ hasOnlyAttachments: true }, { kind: 'handoff', reason: 'unreadable' }],
  [{ text: 'tax advice? I want to talk to a human' }, { kind: 'handoff', reason: 'user_request' }],
  [{ text: 'Yes', waitingConfirmation: true, prohibitedTopics: ['yes'] }, { kind: 'confirm' }],
  [{ text: 'I need TAX advice' }, { kind: 'handoff', reason: 'prohibited_topic', topic: 'tax advice' }],
  [{ isBudgetLeft: false }, { kind: 'handoff', reason: 'budget' }],
  [
    { repeatsQuestion: true, text: FACTS.text },
    { kind: 'handoff', reason: 'not_helping' },
  ],
  [{ text: 'thanks' }, { kind: 'skip', reason: 'acknowledgement' }],
];

describe('the gates', () => {
  it.each(GATES)('decide by the first that holds: %j', (facts, decision) => {
    expect(decideGate({ ...FACTS, ...facts })).toEqual(decision);
  });

  it('keep their order: a gate wins over all after it', () => {
    for (const [index, [facts, decision]] of GATES.entries()) {
      const later = GATES.slice(index + 1).map(([one]) => one);
      expect(decideGate(Object.assign({ ...FACTS }, ...later.reverse(), facts))).toEqual(decision);
    }
  });

  it.each<[Partial<GateFacts>, ReturnType<typeof decideGate>]>([
    [{}, { kind: 'go_on' }],
    [{ aiState: 'paused' }, { kind: 'skip', reason: 'people_have_it' }],
    [{ text: ' \u200b\n' }, { kind: 'skip', reason: 'acknowledgement' }],
    [{ text: 'no', waitingConfirmation: true }, { kind: 'reject' }],
    [{ text: 'no' }, { kind: 'go_on' }],
    [{ turnsWithoutProgress: 2 }, { kind: 'go_on' }],
    [{ turnsWithoutProgress: 3 }, { kind: 'handoff', reason: 'not_helping' }],
    [
      { text: 'thank you', repeatsQuestion: true },
      { kind: 'skip', reason: 'acknowledgement' },
    ],
  ])('decide for %j', (facts, decision) => {
    expect(decideGate({ ...FACTS, ...facts })).toEqual(decision);
  });
});

it.each<[string, string[], string | undefined]>([
  ['Give me MÉDICAL  advice!', ['legal', 'medical advice'], 'medical advice'],
  ['paramedical advice', ['medical advice'], undefined],
  ['medical and other advice', ['medical advice'], undefined],
  ['我想了解赌博网站', ['赌博'], '赌博'],
  ['도박은 합법인가요', ['도박'], '도박'],
  ['anything', ['', ' ', '!'], undefined],
])('%j has of the topics %j: %s', (text, topics, found) => {
  expect(findProhibitedTopic(text, topics)).toBe(found);
});

it.each<[string, string, boolean]>([
  ['Where is my order?', 'where is my ORDER', true],
  ['Where is my order?', 'my order, where is it?', true],
  ['Can I get a refund for my last order?', 'Can I get a refund for order 2?', false],
  ['Where is my order?', 'Where is my invoice?', false],
  ['¿Dónde está mi pedido?', 'donde esta mi pedido', true],
  ['退款多久到账', '退款多久到账？', true],
  ['退款多久到账', '退款没到账', false],
  ['Room 1', 'Room 2', false],
  ['Cancel my order', 'Cancel my order 17', false],
  ['', '', false],
  ['?', '!', false],
])('%j and %j are the same question: %s', (one, other, isSame) => {
  expect(isSameQuestion(one, other)).toBe(isSame);
  expect(isSameQuestion(other, one)).toBe(isSame);
});

it.each<[string, string, boolean, boolean]>([
  ['auto-submitted', 'auto-replied (vacation)', true, true],
  ['auto-submitted', 'no', false, false],
  ['precedence', 'bulk', true, true],
  ['precedence', 'auto_reply', true, true],
  ['precedence', 'list', false, true],
  ['precedence', 'normal', false, false],
  ['x-autoreply', 'yes', true, true],
  ['x-auto-response-suppress', 'DR, OOF, AutoReply', false, true],
  ['x-auto-response-suppress', 'All', false, true],
  ['x-auto-response-suppress', 'DR, NDR', false, false],
  ['subject', 'auto-replied', false, false],
])(
  'an e-mail with %s: %s is of a program: %s; programs do not answer it: %s',
  (name, value, isOfProgram, isAutomated) => {
    const headers = new Map([[name, value]]);
    expect([isAutomaticMail(headers), isAutomatedMail(headers)]).toEqual([isOfProgram, isAutomated]);
  },
);

it.each([
  ['', true],
  [' \n\t\u200b\u200d\ufe0f\u00a0\u3000', true],
  ['.', false],
  ['👍', false],
])('the message %j is empty: %s', (text, isEmpty) => {
  expect(isEmptyMessage(text)).toBe(isEmpty);
});

describe('the fixed sentences', () => {
  it('are there in every language of the API and for every key, without a placeholder', () => {
    for (const language of Language.options)
      for (const key of SENTENCE_KEYS) {
        const sentence = sentenceOf(key, language, { fallback: 'sl', action: 'Refund 5 €' });
        expect(sentence).toMatch(/\p{L}{2}/u);
        expect(sentence).not.toMatch(/[{}]/);
        expect(sentence.includes('Refund 5 €')).toBe(key === 'confirm_question');
      }
  });

  it('are of codes of the API, and differ between languages', () => {
    expect(LANGUAGES_WITH_PHRASES.filter((code) => !Language.safeParse(code).success)).toEqual([]);
    for (const key of SENTENCE_KEYS) {
      const all = LANGUAGES_WITH_PHRASES.map((language) => sentenceOf(key, language));
      expect(new Set(all).size).toBeGreaterThan(all.length - 5);
    }
  });

  it('are those of the fallback where the language has none, and of the org where it has its own', () => {
    const overrides = { sl: { found: 'Našli smo:' }, de: { found: ' ' }, en: { found: 'Look:' } };
    expect(sentenceOf('found', 'sl', { fallback: 'de', overrides })).toBe('Našli smo:');
    expect(sentenceOf('failed', 'sl', { fallback: 'de', overrides })).toBe(sentenceOf('failed', 'de'));
    expect(sentenceOf('found', 'de', { overrides })).toBe(sentenceOf('found', 'de'));
    expect(sentenceOf('found', 'xx', { overrides })).toBe('Look:');
    expect(sentenceOf('found', '__proto__', { overrides: {} })).toBe(sentenceOf('found', 'en'));
    expect(languageWithPhrases('sl', 'pt-BR')).toBe('pt');
    expect(languageWithPhrases(null, undefined)).toBe('en');
  });

  it('name the action of a confirmation, whatever its characters and whatever the org wrote', () => {
    const overrides = { en: { confirm_question: 'Sure?' } };
    expect(sentenceOf('confirm_question', 'en', { overrides, action: '$& {action} $1' })).toBe('Sure? $& {action} $1');
  });
});

describe('any text', () => {
  const RECOGNIZERS: [string, (text: string, language: string) => unknown][] = [
    ['asksForPerson', asksForPerson],
    ['isAcknowledgement', isAcknowledgement],
    ['readDecision', readDecision],
    ['resolvesIssue', resolvesIssue],
    ['findProhibitedTopic', (text) => findProhibitedTopic(text, [text.slice(0, 100), 'tax advice'])],
    ['isEmptyMessage', isEmptyMessage],
    ['isSameQuestion', (text) => isSameQuestion(text, `${text} x`)],
  ];
  const languages = fc.constantFrom(...LANGUAGES_WITH_PHRASES, 'xx', '__proto__', '');

  it.each(RECOGNIZERS)('is read by %s without an error', (_name, recognize) => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
    fc.assert(fc.property(texts, languages, (text, language) => void recognize(text, language)));
  });

  it.each(RECOGNIZERS)('takes %s a time that its length does not multiply', (_name, recognize) => {
    const pumps = [
      'a',
      'not ',
      'not talk to a human ',
      '不想跟人说话',
      'i want to ',
      'talk to a ',
      'thanks ',
      'yes ',
      '人',
      '不',
      'ー',
      '\u0301',
      '\ufdfa',
      '. ',
      '  ',
      '\u200b',
      '👍',
      '\ud800',
      'no, ',
    ];
    for (const pump of pumps)
      for (const language of ['en', 'de', 'zh', 'ja', 'ko', 'th', 'ar']) {
        const long = `${pump.repeat(1_000_000 / pump.length)}!`;
        // A collection of garbage may fall into one of them.
        const isSlow = [1, 2, 3].every(() => cpuTimeOf(() => recognize(long, language))[1] >= 250);
        expect({ pump, language, isSlow }).toEqual({ pump, language, isSlow: false });
      }
  });
});
