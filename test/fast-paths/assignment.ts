import { createDesk } from '../support/desk.ts';
import { eventually, type Stack } from '../support/stack/stack.ts';
import { receiveWebhooks, type Traces, tracesOf } from './scenario.ts';

/** Sessions wait for members who have one session each at most, and get them one after the other. */
export async function assignSessions(stack: Stack): Promise<Traces> {
  const org = await stack.createOrg();
  const closeReceiver = await receiveWebhooks(org);
  await org.patch('/org/settings', { member_capacity: 1 });
  const desk = createDesk(stack, org);
  const [a = 0, b = 0] = await desk.join(2);
  const team = await desk.team('round-robin', [a, b]);
  const [first = '', second = '', ...waiting] = await desk.come(team, 5);
  const [third = '', fourth = '', fifth = ''] = waiting;
  const assignee = (id: string) => eventually('an assignee', async () => (await desk.assigneeOf(id)) ?? undefined);
  const close = (id: string) => org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });

  const assignees = [await assignee(first), await assignee(second)];
  await close(second);
  assignees.push(await assignee(third));
  await org.post(`/chat/sessions/${first}/assign`, { assignee_id: null });
  assignees.push(await assignee(fourth));
  await org.patch('/org/settings', { member_capacity: 2 });
  assignees.push(await assignee(fifth));
  const traces = await tracesOf(stack, org, [assignees.map((id) => (id === a ? 'a' : 'b'))], undefined);
  await closeReceiver();
  return traces;
}
