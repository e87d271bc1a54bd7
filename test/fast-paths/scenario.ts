import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { WEBHOOK_EVENT_TYPES } from '../../src/webhooks/events/schema.ts';
import { startWebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { rowsOfOrg, withoutTimesAndIds } from '../support/stack/org-rows.ts';
import { eventually, type Stack } from '../support/stack/stack.ts';
import { createEndpoint } from '../webhooks/endpoints.ts';

const STEADY_MS = 250;

/** The rows and answers of a scenario, and the evidence of its path. */
export interface Traces {
  rows: Record<string, string[]>;
  answers: string[];
  path: unknown;
}

/** Waits until all that follows from an org's changes has followed, or is left to a workflow. */
export const emptyOutbox = ({ db }: Stack, org: TestOrg) =>
  eventually('an empty outbox', async () => {
    const left = await db.selectFrom('outbox').select('id').where('org_id', '=', org.id).executeTakeFirst();
    return left === undefined;
  });

/** Waits until nothing of an org is to be done, and returns what it has left behind. */
export async function tracesOf(stack: Stack, org: TestOrg, answers: unknown[], path: unknown): Promise<Traces> {
  await emptyOutbox(stack, org);
  await eventually('delivered webhooks', async () => {
    const { body } = await org.get('/webhooks');
    for (const { id } of body.items) {
      const pending = stack.db.selectFrom('webhook_deliveries').select('id').where('endpoint_id', '=', id);
      if ((await pending.where('status', 'in', ['pending', 'retrying']).executeTakeFirst()) !== undefined) return false;
    }
    return true;
  });
  const rows = await steadyRows(stack, org);
  for (const table of Object.keys(rows)) if (table.startsWith('insight') || table === 'due_work') delete rows[table]; // extraction begins later
  return { rows, answers: answers.map(withoutTimesAndIds), path };
}

/** Waits until workflows change no row any more. */
function steadyRows({ db }: Stack, org: TestOrg): Promise<Record<string, string[]>> {
  let before: Record<string, string[]> | undefined;
  return eventually('rows that stay as they are', async () => {
    const rows = await rowsOfOrg(db, org.id);
    if (isDeepStrictEqual(rows, before)) return rows;
    before = rows;
    await sleep(STEADY_MS);
    return undefined;
  });
}

/** All but those of insights, which are found later. */
const EVENT_TYPES = WEBHOOK_EVENT_TYPES.filter((type) => type !== 'webhook.test' && !type.startsWith('insight.'));

/**
 * Has an org's webhooks sent to a receiver, by their ids: what else they show is as it was when they were written.
 * Returns what closes it.
 */
export async function receiveWebhooks(org: TestOrg): Promise<() => Promise<void>> {
  const receiver = await startWebhookReceiver();
  await createEndpoint(org, receiver, { payload: 'thin', event_types: EVENT_TYPES });
  return () => receiver.close();
}

/** Whether a workflow with this id was ever started. */
export const hasWorkflow = ({ temporal }: Stack, id: string): Promise<boolean> =>
  temporal.workflow
    .getHandle(id)
    .describe()
    .then(
      () => true,
      () => false,
    );
