import type { Db } from '../../db/connect.ts';
import type { AskedTool, ToolRequest } from '../../providers/sending.ts';
import { findReportedCall } from './call-reports.queries.ts';
import type { PhoneToolResult, PhoneToolsPort } from './phone-tools.port.ts';

/**
 * Does what an assistant asks for during a call. Returns a result for each of its calls, in the platform's format. One that
 * fails keeps no answer from the others: what they have done is done.
 */
export async function useTools(
  db: Db,
  tools: PhoneToolsPort,
  orgId: string,
  { providerId, deliveryId, agentId, calls }: ToolRequest,
  onError: (error: unknown) => void,
): Promise<({ toolCallId: string; name?: string } & PhoneToolResult)[]> {
  const made = await findReportedCall(db, orgId, { provider: 'vapi', providerId, deliveryId });
  const use = async (asked: AskedTool): Promise<PhoneToolResult> => {
    if (agentId === undefined || made === undefined) return { error: 'This call is not known' };
    if (asked.problem !== undefined) return { error: asked.problem };
    return tools.use(orgId, { agentId, providerId, contactId: made.contact_id }, asked).catch((error: unknown) => {
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
