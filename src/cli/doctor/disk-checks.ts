import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.ts';
import { examine, type Finding, fault, type Judgement, ok, skipped, warning } from './findings.ts';

const GIGABYTE = 1e9;
const LOW_BYTES = 5 * GIGABYTE;
const FULL_BYTES = GIGABYTE / 2;

/** Checks the folder of files: that it can be written to, and has room. */
export const examineDisk = ({ STORAGE_URL }: Config): Promise<Finding> =>
  examine('disk of files', 'create the folder of STORAGE_URL, and let this user write to it', async () => {
    if (STORAGE_URL === undefined) return skipped('STORAGE_URL is not set: no files are taken');
    if (!STORAGE_URL.startsWith('file:')) return skipped('files are in a bucket');
    const folder = fileURLToPath(STORAGE_URL);
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return judgeRoom(bavail * bsize);
  });

function judgeRoom(bytes: number): Judgement {
  const found = `${(bytes / GIGABYTE).toFixed(1)} GB free`;
  if (bytes < FULL_BYTES) return fault(found, 'make room: files of customers are refused soon');
  return bytes < LOW_BYTES ? warning(found, 'make room') : ok(found);
}
