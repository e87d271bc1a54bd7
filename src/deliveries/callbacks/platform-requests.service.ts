import type { Db } from '../../db/connect.ts';
import type { CallbackContent } from '../../providers/sending.ts';
import { answerCall, type CallAnswer } from './inbound-calls.service.ts';
import type { PhoneToolsPort } from './phone-tools.port.ts';
import { type CallbackDeps, secretOfVapi } from './service.ts';
import { type ToolResult, useTools } from './tool-calls.service.ts';
import type { TransferHoldPort } from './transfer-hold.port.ts';
import { answerTransfer, type TransferAnswer } from './transfers.service.ts';

export interface PlatformDeps extends CallbackDeps {
  phoneTools: PhoneToolsPort;
  transferHold: TransferHoldPort;
  log: { error(context: object, message: string): void };
}

/**
 * Answers what a voice platform asks for: the assistant of a call, the results of its tools, and where a call is to be
 * transferred. Undefined for a callback that only reports.
 */
export async function answerPlatform(
  db: Db,
  deps: PlatformDeps,
  orgId: string,
  { inboundCall, toolRequest, transferRequest }: CallbackContent,
): Promise<CallAnswer | { results: ToolResult[] } | TransferAnswer | undefined> {
  const { urls, phoneTools, transferHold, log } = deps;
  if (inboundCall !== undefined) {
    const secret = await secretOfVapi(db, deps, orgId);
    return answerCall(db, { findAgent: phoneTools.findAgent, urls, secret }, orgId, inboundCall);
  }
  if (transferRequest !== undefined) return answerTransfer(db, transferHold, orgId, transferRequest);
  if (toolRequest === undefined) return undefined;
  const onError = (err: unknown) => log.error({ err }, 'a tool of a phone call failed');
  return { results: await useTools(db, phoneTools, orgId, toolRequest, onError) };
}
