import type { CallDeps } from '../../actions/calls/deps.ts';
import { ActionParameters } from '../../actions/calls/schema.ts';
import { secretsOf } from '../../actions/overrides/rules.ts';
import { getOverrides } from '../../actions/overrides/service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, gone, notFound, refused } from '../../errors.ts';
import { canonicalArguments } from '../calls/arguments.rules.ts';
import type { CallRow } from '../calls/service.ts';
import { decideConfirmation, getConfirmation } from './service.ts';

const HIDDEN = '[hidden]';

/** A contact's values for a call asked for by the AI. */
export interface SubmittedForm {
  sessionId: string;
  callId: string;
  actionId: string;
  /** Undefined: as the AI has asked for it. */
  arguments: ActionParameters | undefined;
  pathOf: (argument: string) => string;
}

/**
 * Confirms a call of an action with a form, with the contact's values. The same form submitted again changes nothing,
 * and returns the call as it is. Throws the same errors as decideConfirmation. Throws conflict if an agent has to
 * approve the call, and if the form was submitted with other values.
 */
export async function submitForm(db: Db, orgId: string, form: SubmittedForm): Promise<CallRow> {
  const { sessionId, callId, actionId, pathOf } = form;
  const call = await inTransaction(db, async (trx) => {
    await lockSession(trx, orgId, sessionId);
    const confirmation = await getConfirmation(trx, orgId, callId);
    if (confirmation.session_id !== sessionId) throw notFound('form');
    if (confirmation.action_id !== actionId) throw refused('actionId', 'must be the action of the form');
    if (confirmation.needs === 'customer' && confirmation.needs_because !== 'form')
      throw conflict(`The message asks for a yes or no: POST confirmations/${callId}`);
    if (confirmation.state !== 'needs_confirmation') return submittedBefore(confirmation, form);
    return decideConfirmation(trx, orgId, callId, {
      decision: 'confirm',
      by: 'widget',
      arguments: form.arguments,
      pathOf,
    });
  });
  if (call.state === 'needs_confirmation')
    throw conflict('An agent has to approve this before it is done: nothing was done yet');
  return call;
}

function submittedBefore(call: CallRow, { arguments: args }: SubmittedForm): CallRow {
  if (call.state === 'rejected') throw conflict('It was rejected before');
  if (call.state === 'expired') throw gone('The time to submit it is over');
  const known = call.arguments === null ? undefined : ActionParameters.parse(call.arguments);
  if (args !== undefined && known !== undefined && canonicalArguments(args) !== canonicalArguments(known))
    throw conflict('The form was submitted before, with other values: it is submitted once');
  return call;
}

/** Returns the answer of a call as its contact may see it: without the values added to the request by overrides. */
export async function shownAnswerOf({ db, secrets }: CallDeps, call: CallRow): Promise<unknown> {
  const overrides = await getOverrides(db, secrets, call.org_id, { contactId: call.contact_id ?? undefined });
  const hidden = secretsOf(overrides).flatMap((value) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, '')]);
  const answer: unknown = call.response ?? null;
  if (hidden.length === 0) return answer;
  return JSON.parse(
    JSON.stringify(answer, (_key, value: unknown) =>
      typeof value === 'string' ? hidden.reduce((text, secret) => text.replaceAll(secret, HIDDEN), value) : value,
    ),
  );
}
