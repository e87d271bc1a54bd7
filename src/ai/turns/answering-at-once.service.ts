import { findEmbeddingModel } from '../../knowledge/embedding/service.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import { answerTurn } from './answering.service.ts';
import type { StepName, TurnEnd, TurnRef } from './contract.ts';
import type { TurnDeps } from './deps.ts';
import { StepNeeded } from './steps.service.ts';

/**
 * Goes on with a turn that is due as far as it needs no third party at all, and returns how it ended, or its next step.
 * Repeated, it does nothing that was done.
 */
export const answerAtOnce = (deps: TurnDeps, ref: TurnRef, signal: AbortSignal): Promise<TurnEnd | StepName> =>
  answerTurn({ ...deps, semantics: wordsAtOnce(deps) }, ref, { steps: 0, callsOut: false, signal });

/** A search by words, which leaves the turn to another step where the org has an embedding model to ask. */
const wordsAtOnce = ({ secrets }: TurnDeps): SemanticSearch => ({
  async similarities(db, orgId) {
    if ((await findEmbeddingModel(db, secrets, orgId)) !== undefined)
      throw new StepNeeded({ step: 2, purpose: 'search' });
    return new Map();
  },
});
