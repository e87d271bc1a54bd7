import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { connectHubspot } from '../../support/crm.ts';
import type { Fault, ReceivedRequest } from '../../support/fakes/faulty-server.ts';
import type { FaultOrg } from './fault-org.ts';
import { until } from './until.ts';

const AGAIN_MS = 100;
const PAGE = 200;

export type CrmAccount = Awaited<ReturnType<typeof openCrmAccount>>;

/** An entry in a session's history: its sender and text. */
export type Line = [sender: string, text: string];

/** Prepares an org with handoffs to its fake HubSpot. */
export async function openCrmAccount(db: Db, org: FaultOrg, faultOf?: (request: ReceivedRequest) => Fault | undefined) {
  const put = (path: string, body: object) => org.call('PUT', path, body);
  const crm = await connectHubspot({ put }, {}, faultOf);
  const settings = await org.call('PATCH', '/org/settings', { handoff_target: 'crm' });
  if (settings.status !== 200) throw new Error(`${settings.status}: ${JSON.stringify(settings.body)}`);
  const { id } = org;

  return {
    ...crm,
    org,
    /** Posts events repeatedly until they are accepted, as HubSpot does. Returns the number of failed attempts. */
    async insist(events: unknown[]): Promise<number> {
      for (let refusals = 0; ; refusals++) {
        const status = await crm.deliver(...events).catch(() => undefined);
        if (status === 200) return refusals;
        if (status !== undefined && status !== 503) throw new Error(`The receiver answered ${status}`);
        await sleep(AGAIN_MS);
      }
    },
    /** Waits for the session of a thread. */
    async sessionOf(threadId: string, limitMs?: number): Promise<string> {
      let sessionId: string | undefined;
      await until(
        `thread ${threadId} had a session`,
        async () => {
          sessionId = (await sessionsOf(db, id)).get(threadId);
          return sessionId !== undefined;
        },
        limitMs,
      );
      return sessionId as string;
    },
    sessions: () => sessionsOf(db, id),
    /** Returns the session's ticket in HubSpot. */
    async ticketOf(sessionId: string): Promise<string> {
      const { body } = await org.call('GET', `/chat/sessions/${sessionId}`);
      return body.ticketing_system?.external_id;
    },
    /** Counts the pending rows of each table. */
    async waiting(): Promise<Record<string, number>> {
      const { rows } = await sql<Record<string, number>>`
        select
          (select count(*) from crm_events where org_id = ${id}::uuid and state = 'queued') as events,
          (select count(*) from crm_messages where org_id = ${id}::uuid and state in ('queued', 'sending')) as messages,
          (select count(*) from crm_handoff_parts where org_id = ${id}::uuid and state in ('pending', 'running', 'parked')) as parts,
          (select count(*) from outbox where org_id = ${id}::uuid) as outbox
      `.execute(db);
      return rows[0] as Record<string, number>;
    },
    async untilQuiet(limitMs: number): Promise<void> {
      let waiting: Record<string, number> = {};
      const isQuiet = async () => {
        waiting = await this.waiting();
        return Object.values(waiting).every((count) => count === 0);
      };
      await until('nothing waited', isQuiet, limitMs).catch((error: unknown) => {
        throw new Error(`There still are ${JSON.stringify(waiting)}`, { cause: error });
      });
    },
    /** Returns the messages and notes of a session, in order. */
    async linesOf(sessionId: string): Promise<Line[]> {
      const lines: Line[] = [];
      for (let next: string | null = '0'; next !== null; ) {
        const { body } = await org.call('GET', `/chat/sessions/${sessionId}/history?limit=${PAGE}&cursor=${next}`);
        for (const { event } of body.items) {
          if (event.type === 'message') lines.push([event.sender.type, event.content.text]);
          else if (event.type === 'human_agent_comment') lines.push(['note', event.content.text]);
        }
        next = body.next;
      }
      return lines;
    },
    /** Returns our posts in a thread, in order. */
    posted: (threadId: string, type: 'MESSAGE' | 'COMMENT') =>
      (crm.hubspot.threads.get(threadId) ?? [])
        .filter((message) => message.type === type && message.client.clientType === 'INTEGRATION')
        .map(({ text }) => text as string),
  };
}

/** Returns the session of each thread. Throws if a thread has two. */
async function sessionsOf(db: Db, orgId: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ thread_id: string; session_id: string }>`
    select thread_id, session_id from crm_links where org_id = ${orgId}::uuid and thread_id is not null
  `.execute(db);
  const sessions = new Map(rows.map(({ thread_id, session_id }) => [thread_id, session_id]));
  if (sessions.size !== rows.length) throw new Error('A thread has several sessions');
  return sessions;
}
