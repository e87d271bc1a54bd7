import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { SessionChannel } from '../../schemas/parts.ts';
import {
  type ConnectionActionRow,
  listConnectionActions,
  listOperationIds,
  lockActions,
  upsertConnectionActions,
} from './queries.ts';
import { assertActionLimit } from './service.ts';

/** What a connection offers: an operation, with the operation id that it gets if that is free. */
type Offered = Omit<ConnectionActionRow, 'id' | 'connection_name' | 'operation_id' | 'channels'> & { wantedId: string };

/**
 * Brings the actions of an org's connections of a kind in line with what they offer. Those that are there keep their ids
 * and the org's settings; new ones are enabled on all channels. Actions of deleted connections are gone already. Throws
 * conflict for one action too many.
 */
export async function replaceConnectionActions(
  trx: Trx,
  orgId: string,
  kind: string,
  connections: { name: string; operations: Offered[] }[],
): Promise<void> {
  await lockActions(trx, orgId);
  const known = new Map((await listConnectionActions(trx, orgId, kind)).map((row) => [keyOf(row), row]));
  const taken = new Set(await listOperationIds(trx, orgId, ''));
  const rows = connections.flatMap(({ name, operations }) =>
    operations.map(({ wantedId, ...offered }): ConnectionActionRow => {
      const before = known.get(keyOf({ connection_name: name, operation: offered.operation }));
      return {
        ...offered,
        connection_name: name,
        id: before?.id ?? newId(),
        operation_id: before?.operation_id ?? freeIdOf(wantedId, taken),
        channels: SessionChannel.options,
      };
    }),
  );
  await upsertConnectionActions(trx, orgId, kind, rows);
  await assertActionLimit(trx, orgId);
}

const keyOf = ({ connection_name, operation }: { connection_name: string; operation: string }): string =>
  JSON.stringify([connection_name, operation]);

/** Returns an operation id that is free, and takes it. */
export function freeIdOf(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let n = 2; taken.has(id); n++) id = `${wanted}_${n}`;
  taken.add(id);
  return id;
}
