import type { RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../contract.ts';

/** SQL: the deliveries settled by a statement, for another domain's part of the same statement. */
export interface SettledDeliveries {
  /** The rows, to select from. */
  rows: RawBuilder<unknown>;
  orgId: RawBuilder<string>;
  enrollmentId: RawBuilder<string | null>;
  /** `queued` if the delivery is to be sent again. */
  status: RawBuilder<DeliveryStatus>;
  /** Milliseconds until the next try; null without one. */
  delayMs: RawBuilder<number | null>;
}

/**
 * Builds further common table expressions of a settling statement, each after a comma. The last is `announced`, with a row
 * for each event.
 */
export type SettlingContinuation = (settled: SettledDeliveries) => RawBuilder<unknown>;
