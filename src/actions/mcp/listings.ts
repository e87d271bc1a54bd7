import { DomainError, unprocessable } from '../../errors.ts';
import { createAddressCheck } from '../../providers/egress/address-check.ts';
import { type Egress, EgressError, type StreamClient } from '../../providers/egress/egress.ts';
import { type McpConnection, type McpTool, type McpVerdict, withMcpServer } from '../../providers/mcp/client.ts';
import { problemOfList } from './definitions.rules.ts';
import { type ServerAddress, withoutSecretsOf } from './server-secrets.ts';

/** What a server has listed, and the era of the protocol that it speaks. */
export interface Listing {
  verdict: McpVerdict;
  protocol: string;
  tools: McpTool[];
}

/** A server has answered with a list that cannot be taken: what its tools are now is not known. */
export class RefusedList extends DomainError {
  constructor(message: string) {
    super('unprocessable', message);
  }
}

const TIMEOUT_MS = 25_000;
/** Without any network that an operator lets through. */
const isPublic = createAddressCheck([]);

/**
 * Asks a server for all its tools, and which era of the protocol it speaks. Throws unprocessable if it cannot be asked,
 * and RefusedList if it lists what cannot be taken. Neither shows a secret of the server's address.
 */
export async function readListing(egress: Egress, server: ServerAddress): Promise<Listing> {
  try {
    await assertEncrypted(egress, server.url);
    return await withMcpServer(egress, { ...server, verdict: null }, TIMEOUT_MS, (connection) =>
      listTools(connection, server),
    );
  } catch (error) {
    throw error instanceof EgressError ? unprocessable(withoutSecretsOf(server, error.message)) : error;
  }
}

/**
 * Returns the tools of a connected server. Throws RefusedList, without the server's secrets, for a list that cannot be
 * taken, and EgressErrors.
 */
export async function listTools(
  { verdict, protocol, listTools: list }: McpConnection,
  server: ServerAddress,
): Promise<Listing> {
  const refused = (message: string) => new RefusedList(withoutSecretsOf(server, message));
  const tools = await list().catch((error: unknown) => {
    throw error instanceof EgressError && error.problem === 'too_large' ? refused(error.message) : error;
  });
  const problem = problemOfList(tools);
  if (problem !== undefined) throw refused(`The server ${problem}`);
  return { verdict, protocol, tools };
}

/** On the way to a public address, headers without encryption can be read by others. */
async function assertEncrypted(egress: Pick<Egress, 'resolve'> & StreamClient, url: string): Promise<void> {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return;
  if (isPublic(await egress.resolve(hostname)) === undefined)
    throw unprocessable('The server has a public address: use https, as its headers could be read on the way');
}
