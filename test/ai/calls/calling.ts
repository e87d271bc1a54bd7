import { getAction } from '../../../src/actions/definitions/service.ts';
import { type CallRow, type Proposal, type Proposed, proposeCall } from '../../../src/ai/calls/service.ts';
import type { Db } from '../../../src/db/connect.ts';
import { newId } from '../../../src/ids.ts';
import type { TestApi, TestOrg } from '../../support/stack/api.ts';

/** A turn of a session, as a plan would have it. */
export interface TestTurn {
  orgId: string;
  sessionId: string;
  turnId: string;
  epoch: number;
}

/** Adds a turn to a session. It has ended unless told otherwise. */
export async function addTurn(
  db: Db,
  org: TestOrg,
  sessionId: string,
  { isOpen = false, answers = [] as string[] } = {},
): Promise<TestTurn> {
  const id = newId();
  const { count } = await db
    .selectFrom('ai_turns')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('ai_turns')
    .values({
      org_id: org.id,
      id,
      session_id: sessionId,
      number: Number(count) + 1,
      state: isOpen ? 'running' : 'asked',
      first_seq: 1,
      last_seq: 1,
      answers,
      message_id: newId(),
      config_version: 0,
      due_at: new Date(),
      ended_at: isOpen ? null : new Date(),
    })
    .execute();
  return { orgId: org.id, sessionId, turnId: id, epoch: 0 };
}

export async function newTurn(api: TestApi, org: TestOrg): Promise<TestTurn> {
  const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  return addTurn(api.db, org, id);
}

/** Creates a POST action of `/refunds` with an order and an amount. */
export async function newAction(org: TestOrg, url: string, more: object = {}): Promise<string> {
  const schema = {
    type: 'object',
    required: ['order'],
    properties: { order: { type: 'string' }, amount: { type: 'number' } },
    additionalProperties: false,
  };
  const payload = { requestBody: { required: true, content: { 'application/json': { schema } } } };
  const action = { name: 'Refund an order', api_endpoint: `${url}/refunds`, request_type: 'POST', payload, ...more };
  const { status, body } = await org.post('/actions', action);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Proposes a call of an action. */
export async function propose(
  db: Db,
  turn: TestTurn,
  actionId: string,
  more: Partial<Proposal> = {},
): Promise<Proposed> {
  const action = await getAction(db, turn.orgId, actionId);
  const given = { body_params: { order: 'A-1', amount: 20 } };
  return proposeCall(db, turn, {
    action,
    arguments: given,
    untrustedRead: false,
    isVerified: true,
    contactId: null,
    ...more,
  });
}

/** Proposes a call and returns it. Throws if it was refused. */
export async function proposed(...wanted: Parameters<typeof propose>): Promise<CallRow> {
  const { call, refusal } = await propose(...wanted);
  if (call === undefined) throw new Error(refusal.message);
  return call;
}
