import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/connect.ts';
import { awaitedEventTypes } from '../blocks/awaited-events.rules.ts';
import { heapSizeOf } from '../blocks/heap-size.rules.ts';
import { hasLongAction } from '../blocks/long-actions.rules.ts';
import type { Step, TriggerType } from '../blocks/schema.ts';
import type { CredentialOrigins } from '../credential-origins.rules.ts';
import { findBlocks } from './shared.queries.ts';

/** What runs need of a version of a workflow. */
export interface Version {
  name: string;
  blocks: readonly Step[];
  credentialOrigins: CredentialOrigins | null;
  /** The types of events that its runs may wait for. */
  awaitedTypes: readonly TriggerType[];
  /** No action of it takes long, so its runs can be done in batches. */
  isShort: boolean;
}

const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Cached without expiry: versions never change. */
const cache = new LRUCache<string, Version>({
  maxSize: MAX_CACHED_BYTES,
  sizeCalculation: ({ blocks }) => heapSizeOf(blocks),
});

/** Returns a version of a workflow, from memory if it was used before and others have not taken its place. */
export async function getVersion(db: Db, orgId: string, versionId: number): Promise<Version> {
  const key = `${orgId} ${versionId}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const found = await findBlocks(db, orgId, versionId);
  const { workflow_blocks: blocks, credential_origins: credentialOrigins, name } = found;
  const awaitedTypes = awaitedEventTypes(blocks);
  const version = { name, blocks, credentialOrigins, awaitedTypes, isShort: !hasLongAction(blocks) };
  cache.set(key, version);
  return version;
}
