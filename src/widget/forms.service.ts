import type { CallDeps } from '../actions/calls/deps.ts';
import { ActionParameters } from '../actions/calls/schema.ts';
import type { CallRow } from '../ai/calls/service.ts';
import { shownAnswerOf, submitForm } from '../ai/confirmations/forms.service.ts';
import type { CallWaiters } from '../ai/turns/waiting.service.ts';
import { conflict, gone, invalid, notFound, unavailable, unprocessable } from '../errors.ts';
import { findConfirmationId } from './messages.queries.ts';
import type { ExecuteAction } from './schema.ts';
import { getWidgetSession } from './sessions.service.ts';
import type { Visitor } from './visitors.service.ts';

/** The groups of an action's arguments, as the widget's clients name them. */
const GROUPS = {
  path_params: 'pathParams',
  query_params: 'queryParams',
  body_params: 'bodyParams',
  headers: 'headers',
} as const satisfies Partial<Record<keyof ActionParameters, keyof ExecuteAction['request']>>;

/**
 * Submits a form that the AI has shown in one of the visitor's sessions, and waits for `waitMs` at most until its action was
 * called. The call is that of the AI: it is made once, whatever is repeated. Throws notFound, also for another visitor's
 * session, the same errors as submitForm, unprocessable if the action refused, and unavailable if it is still under way.
 */
export async function executeAsVisitor(
  deps: CallDeps & { callWaiters: CallWaiters },
  visitor: Visitor,
  { form, waitMs }: { form: ExecuteAction; waitMs: number },
) {
  const { db, callWaiters } = deps;
  const { orgId } = visitor;
  const { sessionId, formMessageId, actionId } = form;
  await getWidgetSession(db, visitor, sessionId);
  const callId = await findConfirmationId(db, orgId, sessionId, formMessageId);
  if (callId === undefined) throw notFound('form');
  const submitted = { sessionId, callId, actionId, arguments: argumentsOf(form), pathOf };
  const call = await submitForm(db, orgId, submitted);
  const ended = call.ended_at === null ? await callWaiters.waitForCall(db, { orgId, sessionId, callId }, waitMs) : call;
  return { action: { response: await responseOf(deps, ended) } };
}

/** Returns the given arguments, or undefined if there are none. Throws invalid. */
function argumentsOf({ request }: ExecuteAction): ActionParameters | undefined {
  const given = Object.entries(GROUPS).flatMap(([group, name]) => {
    const values = request[name];
    return values === undefined || isEmpty(values) ? [] : [[group, values] as const];
  });
  if (given.length === 0) return undefined;
  const { data, error } = ActionParameters.safeParse(Object.fromEntries(given));
  if (data !== undefined) return data;
  const issues = error.issues.map(({ path, message }) => ({ path: pathOf(path.join('.')), message }));
  throw invalid(
    `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
    issues,
  );
}

const isEmpty = (values: unknown): boolean =>
  typeof values === 'object' && values !== null && Object.keys(values).length === 0;

/** Returns where the request has an argument, such as `body_params.order`. */
function pathOf(argument: string): string {
  const [group = '', ...inside] = argument.split('.');
  const name = Object.entries(GROUPS).find(([known]) => known === group)?.[1] ?? group;
  return ['body', 'request', name, ...inside].filter((part) => part !== '').join('.');
}

async function responseOf(deps: CallDeps, call: CallRow | undefined): Promise<unknown> {
  if (call === undefined)
    throw unavailable(
      'The action is still under way: send the same request again for its answer, it is not done twice',
    );
  if (call.state === 'done') return shownAnswerOf(deps, call);
  if (call.state === 'expired') throw gone('The AI does not have the session any more: nothing was done');
  if (call.state === 'failed') throw unprocessable('The action did not work: nothing was done');
  throw conflict('It is not known whether the action was done: it is not done again, and a person looks into it');
}
