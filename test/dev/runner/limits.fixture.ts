class Refusal extends Error {
  code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

describe('limits', () => {
  it('hangs', () => new Promise(() => {}), 50);
  it('is the next one', () => {});
});

describe('a block that cannot be prepared', () => {
  beforeAll(() => {
    throw new Error('no database');
  });
  it('is not run', () => console.log('it was run'));
  describe('with a block', () => {
    it('is not run either', () => console.log('it was run'));
  });
});

describe('errors', () => {
  const refusal = new Refusal('no', 'full');
  it('are equal', () => expect(refusal).toEqual(new Refusal('no', 'full')));
  it('differ by code', () => expect(refusal).not.toEqual(new Refusal('no', 'away')));
  it('differ by message', () => expect(refusal).not.toEqual(new Refusal('yes', 'full')));
  it('differ by class', () => expect(refusal).not.toEqual(Object.assign(new Error('no'), { code: 'full' })));
  it('differ by cause', () => expect(new Error('no', { cause: 1 })).not.toEqual(new Error('no', { cause: 2 })));
});
