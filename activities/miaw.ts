import type { SendingDeps } from '../src/conversations/messages/service.ts';
import type { CrmClients } from '../src/crm/connection/clients.ts';
import type { SessionRef } from '../src/crm/contract.ts';
import type { MiawFetchResult } from '../src/crm/salesforce/contract.ts';
import { fetchMiawMessages } from '../src/crm/salesforce/incoming.service.ts';
import { sendNextMiawMessage } from '../src/crm/salesforce/outgoing.service.ts';
import type { Db } from '../src/db/connect.ts';
import { inRounds } from './failures.ts';

export interface MiawActivityDeps {
  db: Db;
  crms: CrmClients;
  sending: SendingDeps;
}

export type MiawActivities = ReturnType<typeof createMiawActivities>;

export const createMiawActivities = ({ db, ...deps }: MiawActivityDeps) => ({
  /**
   * Sends the oldest waiting message of the contact and returns the number of messages left. A second run first
   * searches Salesforce for the message of the first.
   */
  sendNextMiawMessage: inRounds((session: SessionRef): Promise<number> => sendNextMiawMessage(db, deps, session)),

  /** Stores new messages of agents in Salesforce. Running it twice stores each message once. */
  fetchMiawMessages: inRounds((session: SessionRef): Promise<MiawFetchResult> => fetchMiawMessages(db, deps, session)),
});
