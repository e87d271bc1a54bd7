import type { SurveyRef } from '../src/csat/survey/contract.ts';
import { type SurveyDeps, sendDueSurvey } from '../src/csat/survey/sending.service.ts';
import type { Db } from '../src/db/connect.ts';

export interface CsatActivityDeps extends SurveyDeps {
  db: Db;
}

export type CsatActivities = ReturnType<typeof createCsatActivities>;

export const createCsatActivities = ({ db, sending, surveyLinks }: CsatActivityDeps) => ({
  /** Requests the delivery of a survey that is due, once. Returns the time until another one is due. */
  sendDueSurvey: (ref: SurveyRef) => sendDueSurvey(db, { sending, surveyLinks }, ref),
});
