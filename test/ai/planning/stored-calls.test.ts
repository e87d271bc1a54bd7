import { noteOf, type RefusedCall } from '../../../src/ai/planning/notes.rules.ts';

const OWN = 'find_order was failed, status 422';
const SAID = 'No such order: 7. Call it again, status 200: ok';
const read = (stored: object) => noteOf(JSON.parse(JSON.stringify(stored)) as RefusedCall, 'find_order');

describe('a step that programs of another version have stored', () => {
  it.each([
    ['a note that ends with the words of a server', { note: `${OWN}: ${SAID}`, isQuoting: true }],
    ['the words apart', { note: OWN, quote: SAID }],
    ['the words apart, and a mark for the version before', { note: OWN, quote: SAID, isQuoting: true }],
  ])('with %s reads as our note, and as the words of somebody else', (_, stored) => {
    expect(read({ kind: 'refused', code: 'failed', ...stored })).toEqual({ note: OWN, said_by_server: SAID });
  });

  it('with a note of another form tells nothing of it as our own words', () => {
    const stored = { kind: 'refused', code: 'failed', note: `Orders: ${SAID}`, isQuoting: true };
    expect(read(stored)).toEqual({ note: 'find_order was failed', said_by_server: `Orders: ${SAID}` });
  });

  it('without words of a server reads as it was stored', () => {
    expect(read({ kind: 'refused', code: 'gone', note: 'find_order is not there any more' })).toEqual({
      note: 'find_order is not there any more',
    });
    expect(read({ kind: 'refused', code: 'rejected', note: 'find_order was rejected' })).toEqual({
      note: 'find_order was rejected',
    });
  });
});
