import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError } from '../../errors.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { LIST_MCP_TOOLS, type ListToolsResult } from './contract.ts';
import { claimDueServers } from './queries.ts';
import { type McpDeps, refreshServer } from './service.ts';

const SERVERS_PER_BATCH = 100;

/** Requests the daily lists of some MCP servers. Returns the number of requests, 0 once all have one. */
export const requestDailyListings = (db: Db): Promise<number> =>
  inTransaction(db, async (trx) => {
    const due = await claimDueServers(trx, SERVERS_PER_BATCH);
    for (const { org_id: orgId, name } of due) {
      const summary = `List the tools of the MCP server ${name}`;
      await enqueue(trx, orgId, signalWithStart(LIST_MCP_TOOLS, { orgId, name }, WAKE, { subjectId: orgId, summary }));
    }
    return due.length;
  });

/**
 * Asks a server for its tools again. One that cannot be asked shows it on its connection, and is asked again the next day:
 * its words stay out of the result, which is stored with the workflow.
 */
export async function listToolsDaily(deps: McpDeps, orgId: string, name: string): Promise<ListToolsResult> {
  try {
    const { tools } = await refreshServer(deps, orgId, name);
    return { tools: tools.length, held: tools.filter(({ state }) => state !== 'accepted').length, isListed: true };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { tools: 0, held: 0, isListed: false };
  }
}
