import { type Kysely, sql } from 'kysely';

/**
 * The confidence of answers is measured by other parts, and a threshold is that of a search by words or with vectors. Those
 * of before mean something else, and say neither. Orgs without a calibration get one within a day.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`delete from ai_calibrations`.execute(db);
};
