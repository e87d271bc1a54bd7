import type { Trx } from '../db/connect.ts';
import type { ClaimedEvent } from './claim.ts';
import type { EventType } from './events.ts';

/**
 * Handles all events of one org and type in a batch at once. Runs in the transaction that removes them from the outbox.
 */
export type Reaction<Type extends EventType> = (trx: Trx, orgId: string, events: ClaimedEvent<Type>[]) => Promise<void>;

/** A reaction that reads first whether, or with what, it has to act. */
export interface ReadingReaction<Type extends EventType> {
  /**
   * Reads at the same time as the other reactions to the batch, so before what they do. Resolves to what is to be done,
   * in the order of the reactions; undefined for nothing.
   */
  read(
    trx: Trx,
    orgId: string,
    events: ClaimedEvent<Type>[],
    moment: ReadingMoment,
  ): Promise<PendingReaction | undefined>;
}
/** What a reaction has found to be done. */

export interface ReadingMoment {
  /** Earlier events of the batch were not reacted to yet: what their reactions do is not seen. */
  isAhead: boolean;
}
export type PendingReaction = (trx: Trx) => Promise<void>;

export type Reactions = { [Type in EventType]?: (Reaction<Type> | ReadingReaction<Type>)[] };
