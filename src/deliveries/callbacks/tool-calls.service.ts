import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { AskedTool, ToolRequest } from '../../providers/sending.ts';
import { findReportedCall } from './call-reports.queries.ts';
import { getSessionOfCall } from './call-reports.service.ts';
import type { PhoneToolResult, PhoneToolsPort } from './phone-tools.port.ts';

/** The result of a call of a tool, in the platform's format. */
export type ToolResult = { toolCallId: string; name?: string } & PhoneToolResult;

/**
 * Does what an assistant asks for during a call. Returns a result for each of its calls. One that
 * fails keeps no answer from the others: what they have done is done.
 */
export async function useTools(
  db: Db,
  tools: PhoneToolsPort,
  orgId: string,
  { providerId, deliveryId, agentId, calls }: ToolRequest,
  onError: (error: unknown) => void,
): Promise<ToolResult[]> {
  const made = await findReportedCall(db, orgId, { provider: 'vapi', providerId, deliveryId });
  const sessionId = made === undefined ? null : await inTransaction(db, (trx) => getSessionOfCall(trx, orgId, made));
  const use = async (asked: AskedTool): Promise<PhoneToolResult> => {
    if (agentId === undefined || made === undefined || sessionId === null) return { error: 'This call is not known' };
    if (asked.problem !== undefined) return { error: asked.problem };
    const call = { agentId, callId: made.id, contactId: made.contact_id, sessionId };
    return tools.use(orgId, call, asked).catch((error: unknown) => {
      onError(error);
      return { error: 'It could not be done now' };
    });
  };
  return Promise.all(
    calls.map(async (asked) => {
      const { id: toolCallId, name } = asked;
      return { toolCallId, ...(name !== undefined && { name }), ...inOneLine(await use(asked)) };
    }),
  );
}

/** Vapi reads only texts of one line. */
const inOneLine = ({ result, error }: PhoneToolResult): PhoneToolResult =>
  error === undefined ? { result: joined(result) } : { error: joined(error) };

const joined = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
