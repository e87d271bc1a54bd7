import { type Kysely, sql } from 'kysely';

/**
 * The confidence of answers is measured by other parts, so thresholds of before mean something else. Orgs without a
 * calibration get one within a day.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`delete from ai_calibrations`.execute(db);
};
