import { Context } from '@temporalio/activity';
import type { CalibrationInput, CalibrationResult } from '../src/ai/calibration/contract.ts';
import { calibrateAnswers } from '../src/ai/calibration/service.ts';
import type { Db } from '../src/db/connect.ts';
import { semanticSearchOf } from '../src/knowledge/embedding/semantic-search.ts';
import type { ConnectionCalls } from '../src/orgs/integrations/calls.service.ts';
import type { HttpClient } from '../src/providers/egress/egress.ts';
import type { Secrets } from '../src/secrets.ts';

export interface CalibrationActivityDeps {
  db: Db;
  egress: HttpClient;
  calls: ConnectionCalls;
  secrets: Secrets;
}

export type CalibrationActivities = ReturnType<typeof createCalibrationActivities>;

export const createCalibrationActivities = ({ db, egress, calls, secrets }: CalibrationActivityDeps) => ({
  /** Calibrates the answers of an org. Repeated, it measures the same and stores it again. */
  calibrateAnswers: ({ orgId }: CalibrationInput): Promise<CalibrationResult> =>
    calibrateAnswers(db, semanticSearchOf({ egress, secrets, calls }), orgId, Context.current().cancellationSignal),
});
