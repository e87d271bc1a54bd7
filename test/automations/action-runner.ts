import { type Action, type ActionDeps, remoteAction } from '../../src/automations/actions/action.ts';
import { ACTIONS } from '../../src/automations/actions/registry.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import type { TestApi, TestOrg } from '../support/stack/api.ts';

const rejectTicket = () => Promise.reject(new Error('Tickets are made on the stack'));

/** The parts of the API or the stack needed by actions. */
export type ActionHost = Pick<TestApi, 'db' | 'deps'>;

export const depsOf = ({ db, deps: { egress, calls, secrets, semantics, sending } }: ActionHost): ActionDeps => ({
  db,
  egress,
  calls,
  secrets,
  semantics,
  sending,
  createTicket: rejectTicket,
});

/** Returns a note that is a call of another system. `answer` gets the dedupe key of each call. */
export function remoteNote(answer: (dedupeKey: string) => object): Action {
  const { input, output } = ACTIONS.get('add-note') as Action;
  return remoteAction({
    ...{ type: 'add-note', title: '', description: '', input, output },
    call: async (_deps, { dedupeKey }) => answer(dedupeKey) as never,
  });
}

/** A note that remoteNote adds. */
export const noteStep = (id: string, more: object = {}) => ({
  ...{ $kind: 'Action', id, type: 'add-note', name: 'Far', input: { session_id: newId(), text: 'Hello' } },
  ...more,
});

/**
 * Returns a function to run actions like a run's steps. It takes an org, a type and an input, and the dedupe key of a
 * repeated attempt. It checks the output against the action's schema and returns it.
 */
export function createActionRunner(around: ActionHost) {
  const { db } = around;
  const deps = depsOf(around);

  // biome-ignore lint/suspicious/noExplicitAny: outputs have every shape
  return async ({ id: orgId }: TestOrg, type: string, input: object, dedupeKey = newId()): Promise<any> => {
    const action = ACTIONS.get(type);
    if (action === undefined) throw new Error(`There is no action ${type}`);
    const step = { orgId, runId: newId(), depth: 0, dedupeKey };
    const parsed = action.input.parse(input);
    const output =
      'call' in action
        ? await action.call(deps, step, parsed)
        : await inTransaction(db, (trx) => action.apply(trx, deps, step, parsed));
    expect(JSON.parse(JSON.stringify(output))).toEqual(output);
    action.output.parse(output);
    return output;
  };
}

export type RunAction = ReturnType<typeof createActionRunner>;
