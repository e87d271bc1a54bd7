import { join } from 'node:path';

/** Where Node keeps compiled code from one start to the next: loading takes about a third less. */
export const compileCacheIn = (dataFolder: string): string => join(dataFolder, 'compile-cache');
