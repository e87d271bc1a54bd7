import type { Db } from '../../db/connect.ts';
import { notify } from '../../db/notify.ts';
import { BROADCAST_CHANNEL } from '../../notifications/service.ts';
import type { Broadcast, Broadcasts } from '../live/broadcasts.ts';
import type { PresenceState } from './schema.ts';

const PRESENCE_TTL_MS = 30_000;
/** A widget says it every few seconds as long as its visitor writes. */
const CONTACT_TTL_MS = 8_000;
const SWEEP_MS = 1_000;
/** Represents the contact in place of a member's id. */
const CONTACT = 'contact';

interface Where {
  orgId: string;
  sessionId: string;
}

export interface Presence extends Where {
  /** null: the contact, never shown as viewing. */
  member: { id: number; name: string } | null;
  state: PresenceState | 'gone';
}

export interface PresenceBoard {
  /** Tells all processes of a member's presence in a session. */
  announce(presence: Presence): void;
  /** Takes the hints of a notification. */
  receive(hints: string): void;
  /** Returns the presence in the sessions of an org, as events. */
  eventsOf(orgId: string): Broadcast[];
  /** Returns whether a member types in a session. */
  isTypedIn(where: Where): boolean;
  close(): void;
}

interface Entry extends Presence {
  until: number;
}

const keyOf = ({ orgId, sessionId, member }: Presence) => `${orgId}/${sessionId}/${member?.id ?? CONTACT}`;
/** Percent-encoding leaves no space and no slash in a name. */
const hintOf = (presence: Presence) =>
  `presence/${keyOf(presence)}/${presence.state}/${encodeURIComponent(presence.member?.name.toWellFormed() ?? '')}`;

function presenceIn(hint: string): Presence | undefined {
  const [topic, orgId = '', sessionId = '', id, state, name = ''] = hint.split('/');
  if (topic !== 'presence' || (state !== 'viewing' && state !== 'typing' && state !== 'gone')) return undefined;
  const member = id === CONTACT ? null : { id: Number(id), name: decodeURIComponent(name) };
  return { orgId, sessionId, member, state };
}

const eventOf = (presence: Presence): Broadcast => {
  const { orgId, sessionId: session_id, member, state } = presence;
  const shown =
    member === null
      ? { type: 'contact_typing', data: { session_id, state } }
      : { type: 'presence', data: { session_id, member, state } };
  return { orgId, topic: 'presence', key: keyOf(presence), ...shown };
};

/**
 * Keeps the viewers of sessions, and the people typing there, in memory. Every process hears of it by notifications.
 * Presence not repeated in time is over.
 */
export function createPresenceBoard(db: Db, broadcasts: Broadcasts, ttlMs = PRESENCE_TTL_MS): PresenceBoard {
  const byOrg = new Map<string, Map<string, Entry>>();
  const end = (entry: Entry) => {
    const present = byOrg.get(entry.orgId);
    if (present?.delete(keyOf(entry)) !== true) return;
    if (present.size === 0) byOrg.delete(entry.orgId);
    broadcasts.send(eventOf({ ...entry, state: 'gone' }));
  };
  const set = (presence: Presence) => {
    const present = byOrg.get(presence.orgId) ?? new Map<string, Entry>();
    const known = present.get(keyOf(presence));
    const entry = { ...presence, until: Date.now() + (presence.member === null ? CONTACT_TTL_MS : ttlMs) };
    if (presence.state === 'gone') return end(entry);
    byOrg.set(presence.orgId, present.set(keyOf(presence), entry));
    if (known?.state !== presence.state || known.member?.name !== presence.member?.name)
      broadcasts.send(eventOf(presence));
  };
  const sweep = setInterval(() => {
    const now = Date.now();
    for (const present of byOrg.values()) for (const entry of present.values()) if (entry.until <= now) end(entry);
  }, SWEEP_MS).unref();

  return {
    announce: (presence) => notify(db, BROADCAST_CHANNEL, hintOf(presence)),
    receive(hints) {
      for (const hint of hints.split(' ')) {
        const presence = presenceIn(hint);
        if (presence !== undefined) set(presence);
      }
    },
    eventsOf: (orgId) => [...(byOrg.get(orgId)?.values() ?? [])].map(eventOf),
    isTypedIn: ({ orgId, sessionId }) =>
      [...(byOrg.get(orgId)?.values() ?? [])].some(
        (entry) => entry.sessionId === sessionId && entry.member !== null && entry.state === 'typing',
      ),
    close: () => clearInterval(sweep),
  };
}
