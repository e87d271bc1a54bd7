import { changeSession } from '../../src/conversations/change-session.service.ts';
import type { Sender } from '../../src/conversations/history/events.schema.ts';
import { lockSession } from '../../src/conversations/sessions/service.ts';
import type { Trx } from '../../src/db/connect.ts';

/** Adds a message of any sender to a session. A second message with the same id changes nothing. Throws notFound. */
export async function addMessage(
  trx: Trx,
  orgId: string,
  { id, sessionId, sender, content }: { id: string; sessionId: string; sender: Sender; content: string },
): Promise<void> {
  const session = await lockSession(trx, orgId, sessionId);
  await changeSession(trx, orgId, session, { events: [{ id, type: 'message', sender, content }] });
}
