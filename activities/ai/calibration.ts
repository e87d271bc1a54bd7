import { Context } from '@temporalio/activity';
import type { CalibrationInput, CalibrationResult } from '../../src/ai/calibration/contract.ts';
import { calibrateAnswers } from '../../src/ai/calibration/service.ts';
import type { Db } from '../../src/db/connect.ts';
import type { SemanticSearch } from '../../src/knowledge/search/passage-search.service.ts';

export interface CalibrationActivityDeps {
  db: Db;
  semantics: SemanticSearch;
}

export type CalibrationActivities = ReturnType<typeof createCalibrationActivities>;

export const createCalibrationActivities = ({ db, semantics }: CalibrationActivityDeps) => ({
  /** Calibrates the answers of an org. Repeated, it measures the same and stores it again. */
  calibrateAnswers: ({ orgId }: CalibrationInput): Promise<CalibrationResult> => {
    const { cancellationSignal: signal, info } = Context.current();
    return calibrateAnswers(db, semantics, orgId, { signal, attempt: info.attempt });
  },
});
