import type { Storage } from './port.ts';

/** Creates a storage that counts the bytes put into another one. */
export const createCountedStorage = (storage: Storage, count: (bytes: number) => void): Storage => ({
  ...storage,
  async put(key, content) {
    count(content.size);
    await storage.put(key, content);
  },
});
