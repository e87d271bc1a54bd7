import type { SendingDeps } from '../src/conversations/messages/service.ts';
import type { CrmClients } from '../src/crm/connection/clients.ts';
import type { SessionRef } from '../src/crm/contract.ts';
import type { MiawFetchResult } from '../src/crm/salesforce/contract.ts';
import { fetchMiawMessages } from '../src/crm/salesforce/incoming.service.ts';
import { sendNextMiawMessage } from '../src/crm/salesforce/outgoing.service.ts';
import type { Db } from '../src/db/connect.ts';

export interface MiawActivityDeps {
  db: Db;
  crms: CrmClients;
  sending: SendingDeps;
}

export type MiawActivities = ReturnType<typeof createMiawActivities>;

export const createMiawActivities = ({ db, ...deps }: MiawActivityDeps) => ({
  /** Says the first of the contact's messages that wait, and gives how many are left. Run twice, it first looks for what the first run may have said. */
  sendNextMiawMessage: (session: SessionRef): Promise<number> => sendNextMiawMessage(db, deps, session),

  /** Stores what people said in Salesforce since the last look. Run twice, each message is stored once. */
  fetchMiawMessages: (session: SessionRef): Promise<MiawFetchResult> => fetchMiawMessages(db, deps, session),
});
