import type { Client } from '@temporalio/client';
import type { Db } from '../db/connect.ts';
import type { Mismatch } from './subject.ts';
import { SUBJECTS } from './subjects.ts';

/**
 * Compares what waits for a workflow of its own with Temporal, some at a time, and mends what has none. A dry run changes
 * nothing. Returns the mismatches, with those that could not be mended: one of them keeps no other from it.
 */
export async function repair(db: Db, client: Client, { isDryRun }: { isDryRun: boolean }): Promise<Mismatch[]> {
  const mismatches: Mismatch[] = [];
  for (const subject of SUBJECTS) mismatches.push(...(await subject.repair(db, client, isDryRun)));
  return mismatches;
}
