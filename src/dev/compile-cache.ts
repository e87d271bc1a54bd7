import { join } from 'node:path';

/** Returns the folder of Node's compile cache. With the cache, loading takes about a third less time. */
export const compileCacheIn = (dataFolder: string): string => join(dataFolder, 'compile-cache');
