import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import type { ChannelDefaults } from '../src/deliveries/sending/channels.service.ts';
import type { MessageSenders } from '../src/deliveries/sending/message-sender.ts';
import type { SequenceProgress, SequenceRef } from '../src/sequences/contract.ts';
import { pauseStoppedSequence } from '../src/sequences/definitions/workflow-repair.service.ts';
import type { ForecastEnd, ForecastRef } from '../src/sequences/forecast/contract.ts';
import { computeForecast } from '../src/sequences/forecast/jobs.service.ts';
import { createOutages } from '../src/sequences/sending/outages.ts';
import { sendDueSteps } from '../src/sequences/sending/send-due-steps.service.ts';

export interface SequenceActivityDeps {
  db: Db;
  senders: MessageSenders;
  /** The channels that orgs have without a connection of their own. */
  channelDefaults: ChannelDefaults;
  /** Aborted when the worker shuts down: a batch finishes its sends in flight and leaves the rest. */
  stopping: AbortSignal;
}

export type SequenceActivities = ReturnType<typeof createSequenceActivities>;

export const createSequenceActivities = ({ db, senders, channelDefaults, stopping }: SequenceActivityDeps) => {
  const outages = createOutages();
  return {
    /** Sends due steps until none is due or at least a second has passed. */
    sendDueSteps(ref: SequenceRef): Promise<SequenceProgress> {
      const { cancellationSignal } = Context.current();
      const isStopped = () => stopping.aborted || cancellationSignal.aborted;
      return sendDueSteps({ db, senders, outages, isStopped }, ref);
    },

    /** Computes a forecast and stores it, within a number of attempts. Heartbeats say how many contacts are done. */
    computeForecast(ref: ForecastRef): Promise<ForecastEnd> {
      const { cancellationSignal: signal, heartbeat, info } = Context.current();
      const onProgress = (contacts_done: number) => heartbeat({ contacts_done });
      return computeForecast(db, ref, { defaults: channelDefaults, signal, attempt: info.attempt, onProgress });
    },

    /** Pauses the sequence because its workflow was canceled in Temporal. */
    recordSequenceCancellation: (ref: SequenceRef): Promise<boolean> => pauseStoppedSequence(db, ref),
  };
};
