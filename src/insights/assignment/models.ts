import type { Db } from '../../db/connect.ts';
import type { Embedder } from '../../embedder/embedder.ts';
import { type ConnectedModel, embedAlike, findConnectedModel } from '../../knowledge/embedding/models.ts';
import { findSavedAt } from '../../orgs/integrations/service.ts';
import type { Secrets } from '../../secrets.ts';
import { spaceOfBuiltIn, spaceOfModel } from '../similarity/words.rules.ts';
import type { RefusalMemory } from './refusal-memory.ts';

/** The embedding model for comparing an org's statements. */
export interface StatementModel {
  /** The space of its vectors. */
  space: string;
  /** Returns a vector of length 1 for each text. */
  embed(texts: string[]): Promise<Float32Array[]>;
  /** Does work with the model, unless its provider has refused the same settings lately. */
  remember<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface StatementModelDeps {
  db: Db;
  secrets: Secrets;
  embedder: Embedder;
  refusals: RefusalMemory;
  /** Returns a vector of length 1 for each text, by the org's own model. */
  embed(model: ConnectedModel, texts: string[]): Promise<Float32Array[]>;
  /** Throws if the activity is to end. */
  signal: AbortSignal;
}

/** Returns the model of an org's statements: its own, or else the product's built-in one. */
export async function findStatementModel(
  { db, secrets, embedder, refusals, embed, signal }: StatementModelDeps,
  orgId: string,
): Promise<StatementModel | undefined> {
  const connected = await findConnectedModel(db, secrets, orgId);
  if (connected === undefined)
    return embedder.isAvailable()
      ? {
          space: spaceOfBuiltIn(embedder.model),
          embed: (texts) => embedAlike(embedder, texts, signal),
          remember: (work) => work(),
        }
      : undefined;
  return {
    space: spaceOfModel(connected.embedding_model),
    embed: (texts) => embed(connected, texts),
    remember: async (work) => {
      const savedAt = await findSavedAt(db, orgId, 'llm');
      return refusals.remember({ model: connected, savedAt }, work);
    },
  };
}
