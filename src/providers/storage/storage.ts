import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.ts';
import { unavailable } from '../../errors.ts';
import { createFileStorage } from './file-system.ts';
import type { Storage } from './port.ts';
import { createS3Storage } from './s3.ts';

/** The region accepted by S3-compatible stores without regions. */
const DEFAULT_REGION = 'us-east-1';

type StorageSettings = Pick<
  Config,
  'STORAGE_URL' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN'
>;

/** Creates the storage named by STORAGE_URL. Without it, each use of the storage throws an error with this name. */
export function createStorage(settings: StorageSettings): Storage {
  if (settings.STORAGE_URL === undefined) return NO_STORAGE;
  const url = new URL(settings.STORAGE_URL);
  if (url.protocol === 'file:') return createFileStorage(fileURLToPath(url));
  return createS3Storage({
    bucket: url.hostname,
    prefix: url.pathname.split('/').filter(Boolean).join('/'),
    region: url.searchParams.get('region') ?? DEFAULT_REGION,
    endpoint: url.searchParams.get('endpoint') ?? undefined,
    accessKeyId: settings.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: settings.AWS_SESSION_TOKEN,
  });
}

const throwNotConfigured = async (): Promise<never> => {
  throw unavailable('Files are neither kept nor served here: the operator has not set STORAGE_URL');
};

const NO_STORAGE: Storage = {
  put: throwNotConfigured,
  get: throwNotConfigured,
  delete: throwNotConfigured,
  close: async () => undefined,
};
