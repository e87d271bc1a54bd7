import { readSettings } from '../../orgs/service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { SEND_CSAT_SURVEY, type SurveyRef } from './contract.ts';
import { insertSurveys } from './queries.ts';

/** Where surveys go out to, and how long after a resolution, unless the org says otherwise. */
const DEFAULTS = { channels: ['email', 'sms', 'whatsapp'], delay_minutes: 5 } as const;

/** Schedules a survey for each request for a score, where the org wants one to go out. Requests of earlier versions have no id. */
export const scheduleSurveys: Reaction<'csat-requested'> = async (trx, orgId, events) => {
  const { csat, csat_survey } = await readSettings(trx, orgId);
  if (csat !== true) return;
  const { channels, delay_minutes: delayMinutes } = csat_survey ?? DEFAULTS;
  const asked = events.flatMap(({ subject_id: session_id, payload: { request_id: id } }) =>
    id === undefined ? [] : [{ id, session_id }],
  );
  const surveys = await insertSurveys(trx, orgId, asked, { channels: [...channels], delayMinutes });
  const commands = surveys.map(({ id, session_id }) => wakeSurvey({ orgId, surveyId: id, sessionId: session_id }));
  await enqueue(trx, orgId, ...commands);
};

/** Returns the command to send a survey in time. */
export const wakeSurvey = ({ orgId, surveyId, sessionId }: SurveyRef & { sessionId: string }) =>
  signalWithStart(SEND_CSAT_SURVEY, { orgId, surveyId }, WAKE, {
    subjectId: sessionId,
    summary: 'Ask the customer of a session for a score',
  });
