import { patiently } from '../../console/src/api/refetching/patience.ts';
import { snoozeTimes } from '../../console/src/areas/inbox/head/snooze-times.ts';
import { REMOVED_SECRET, type Specs, valuesIn, type Written, withChanges } from '../../console/src/ui/forms/spec.ts';
import { slipIn } from '../../console/src/ui/json/json-slip.ts';

const SPECS: Specs = {
  token: { kind: 'secret', label: 'Token' },
  'oauth.id': { kind: 'text', label: 'Id' },
  'oauth.secret': { kind: 'secret', label: 'Secret' },
  owner: { kind: 'text', label: 'Owner' },
  limit: { kind: 'number', label: 'Limit' },
  makes_tickets: { kind: 'check', label: 'Makes tickets' },
  topics: { kind: 'lines', label: 'Topics' },
};
const BY_TOKEN = { token: '***', signatures: [{ domain: '*' }] };
const BY_OAUTH = { oauth: { id: 'a', secret: '***' }, owner: '7' };

describe('what a form of the console stores of a whole', () => {
  it.each<[string, object, Written, object]>([
    ['keeps what is not set as it is', BY_TOKEN, { owner: '7' }, { ...BY_TOKEN, owner: '7' }],
    ['stores a check that was switched off', BY_TOKEN, { makes_tickets: false }, { ...BY_TOKEN, makes_tickets: false }],
    ['leaves out what was emptied', BY_OAUTH, { owner: ' ' }, { oauth: BY_OAUTH.oauth }],
    ['leaves out what the API has as null', { owner: null, limit: 3 }, { limit: '4' }, { limit: 4 }],
    [
      'keeps a secret beside what was changed',
      BY_OAUTH,
      { 'oauth.id': 'b' },
      { ...BY_OAUTH, oauth: { id: 'b', secret: '***' } },
    ],
    ['stores another secret', BY_TOKEN, { token: 'new' }, { ...BY_TOKEN, token: 'new' }],
    ['removes a secret', BY_TOKEN, { token: REMOVED_SECRET }, { signatures: BY_TOKEN.signatures }],
    [
      'changes from a secret to a part with another one',
      BY_TOKEN,
      { token: REMOVED_SECRET, 'oauth.id': 'a', 'oauth.secret': 'b' },
      { signatures: BY_TOKEN.signatures, oauth: { id: 'a', secret: 'b' } },
    ],
    [
      'changes from a part to a secret: nothing is left of the part but its stored secret',
      BY_OAUTH,
      { 'oauth.id': '', token: 'new' },
      { owner: '7', token: 'new' },
    ],
    ['reads lines and numbers', {}, { topics: ' a \n\n b', limit: '5' }, { topics: ['a', 'b'], limit: 5 }],
  ])('%s', (_, stored, changes, expected) => {
    // As JSON: what is undefined is not sent.
    expect(JSON.parse(JSON.stringify(withChanges(SPECS, stored, changes)))).toEqual(expected);
  });

  it('sends null for what was emptied where the API takes changes alone', () => {
    const [owner, token] = [SPECS.owner, SPECS.token] as const;
    const sent = valuesIn({ owner, token } as Specs, { owner: '', token: REMOVED_SECRET }, { isNullable: true });
    expect(sent).toEqual({ owner: null, token: null });
  });
});

describe('how long the console waits before it reads again what is under way', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  it.each([
    ['begun this second', 0, 2_000],
    ['begun 20 seconds ago', -20_000, 4_000],
    ['begun an hour ago', -3_600_000, 30_000],
    ['due in 10 seconds', 10_000, 10_000],
    ['due in an hour', 3_600_000, 30_000],
  ])('%s', (_, distanceMs, waitMs) => {
    expect(patiently(new Date(now + distanceMs).toISOString(), now)).toBe(waitMs);
  });
});

it('snoozing until Monday names the date on a Monday alone, when the weekday could be today', () => {
  const hintOn = (day: number) =>
    snoozeTimes(new Date(2026, 10, day, 8)).find(({ label }) => label === 'Until Monday')?.hint;
  expect(hintOn(30)).toMatch(/\b7\b/); // a Monday: December 7
  expect(hintOn(27)).toMatch(/^Mon\W+0?9:00/); // a Friday
});

describe('JSON that was written by hand', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'Line 2: a comma is missing'],
    ['{\n  "a": [1, 2],\n}', 'Line 2: there is a comma too many'],
    [
      '{\n  "a": "x,\n  "b": 2\n}',
      'Line 2: the closing quote of a text is missing, or \\ or a tab stands where it may not',
    ],
    ['{\n  "a": yes\n}', 'Line 2: this is no value, or a text without double quotes (")'],
    ['{\n  a: 1\n}', 'Line 2: a name needs double quotes (")'],
    ["{\n  'a': 1\n}", 'Line 2: a name needs double quotes (")'],
    ['{\n  "a": [1, 2\n}', 'Line 2: the closing ] is missing'],
    ['{\n', 'Line 2: the closing } is missing'],
    ['{"a": 1,\n', 'Line 2: the closing } is missing'],
    ['{\n\u00a0"a": 1\n}', 'Line 2: a name needs double quotes (")'],
    ['{ "a" 1 }', 'Line 1: a colon is missing after a name'],
    ['{ "a":\n}', 'Line 1: a value is missing'],
    ['{\n  "a": { "b": -1.5e3 }', 'Line 2: the closing } is missing'],
    ['{}\nmore', 'Line 2: something follows after the end'],
    ['['.repeat(100_000), 'It is no JSON'],
  ])('says where it slips, and how: %.40j', (text, problem) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(slipIn(text)).toBe(problem);
  });
});
