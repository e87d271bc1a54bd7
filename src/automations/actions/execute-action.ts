import { z } from 'zod';
import { callAction } from '../../actions/calls/http-call.ts';
import { ActionParameters } from '../../actions/calls/schema.ts';
import type { Db } from '../../db/connect.ts';
import { Id } from '../../schemas/parts.ts';
import type { Json } from '../blocks/schema.ts';
import { findRun } from '../runs/shared.queries.ts';
import { remoteAction, type StepRef } from './action.ts';

export const executeAction = remoteAction({
  type: 'execute-action',
  title: 'Execute an action',
  description:
    'Calls one of the org’s actions (GET /actions). Network errors, 429 and 5xx of a GET are tried again; other methods are called at most once, and any status of theirs is output. The http_action_overrides of the trigger’s message, its contact and the org apply. Credentials in its parameters belong to the scheme, host and port that the action had when they were given.',
  input: z.strictObject({ action_id: Id, parameters: ActionParameters.prefault({}) }),
  output: z.object({
    status: z.int(),
    body: z.json().describe('Parsed if it is JSON, otherwise text, cut after 256 KB.'),
  }),
  async call({ db, egress, secrets, calls }, step, { action_id, parameters }) {
    const subject = await subjectOf(db, step);
    const { dedupeKey, credentialOrigins } = step;
    const call = { ...subject, parameters, dedupeKey, credentialOrigins };
    const { status, body } = await callAction({ db, egress, secrets, calls }, step.orgId, action_id, call);
    return { status, body: body as Json };
  },
});

const HasId = z.object({ id: Id }).optional().catch(undefined);
const Trigger = z.object({
  message: HasId,
  contact: HasId,
  session: z.object({ contact: HasId }).optional().catch(undefined),
});

/** Returns the message and contact of the run's trigger. */
async function subjectOf(db: Db, { orgId, runId }: StepRef) {
  const run = await findRun(db, orgId, runId);
  const { message, contact, session } = Trigger.parse(run?.trigger_output ?? {});
  return { messageId: message?.id, contactId: contact?.id ?? session?.contact?.id };
}
