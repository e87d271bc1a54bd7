import { oddTextsIn } from '../../scripts/examples/odd-texts.ts';
import { stable } from '../../scripts/examples/stable.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

it.each<[string, object, string]>([
  ['a key of a test', { custom_data: { "'; drop table contacts; --": 'x1' } }, 'custom_data'],
  ['a name that is an id', { members: [{ name: ID }] }, 'members[].name'],
  ['an id within a name', { name: `orders ${ID}` }, 'name'],
  ['an id within an operation id', { operation_id: `orders_${ID.replaceAll('-', '_')}` }, 'operation_id'],
  ['a single letter', { text: 'x' }, 'text'],
  ['white space around a name', { name: ' Topic ' }, 'name'],
  ['a formula', { comment: '=1+1' }, 'comment'],
  ['a word of tests', { text: 'We owe you a Quokka' }, 'text'],
  ['the name of an org of tests', { org: { name: 'Org' } }, 'org.name'],
])('an example with %s is odd there', (_, answer, path) => {
  expect(oddTextsIn({ answer })).toEqual([expect.stringContaining(`answer.${path}`)]);
});

it('an example with what a customer sends and gets is not odd', () => {
  const request = { name: 'Pro customers', text: 'Hello {{contact.name|there}}', path: '/', csv: 'a,b\r\nHi,you' };
  const answer = { id: ID, secret: '***', url: `https://support.example.com/help/${ID}/billing`, price: 9.5 };
  expect(oddTextsIn({ request, answer })).toEqual([]);
});

it('stored examples have the same ids, times, cursors and fractions in every run', () => {
  const page = {
    items: [{ id: ID, score: 0.123456789, at: '2026-07-01T10:00:00.123Z' }],
    next: 'WyIyMDI2LTA3LTAxIiwiMSJd',
  };
  expect(stable(page)).toEqual({
    items: [{ id: '01900000-0000-7000-8000-000000000001', score: 0.1234, at: '2026-01-15T09:00:00.000Z' }],
    next: 'ExampleOfACursor',
  });
});
