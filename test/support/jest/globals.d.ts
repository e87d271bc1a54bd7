import type * as globals from '@jest/globals';

declare global {
  const afterAll: typeof globals.afterAll;
  const afterEach: typeof globals.afterEach;
  const beforeAll: typeof globals.beforeAll;
  const beforeEach: typeof globals.beforeEach;
  const describe: typeof globals.describe;
  const expect: typeof globals.expect;
  const it: typeof globals.it;
  /** The part of it that jest-light-runner provides. */
  const jest: Pick<typeof globals.jest, 'spyOn' | 'restoreAllMocks'>;
}
