import fc from 'fast-check';
import { sql } from 'kysely';
import { blockContact, blockDomains } from '../../../src/contacts/blocklist/service.ts';
import type { Db } from '../../../src/db/connect.ts';
import type { Channels } from '../../../src/deliveries/sending/channels.service.ts';
import type { MessageSender, MessageSenders } from '../../../src/deliveries/sending/message-sender.ts';
import { newId } from '../../../src/ids.ts';
import { createOrg, createPartner } from '../../../src/partners/service.ts';
import { createSequence, getSequence } from '../../../src/sequences/definitions/service.ts';
import { planDeliveries } from '../../../src/sequences/forecast/service.ts';
import { emailStep } from '../../support/sequences.ts';

const CHANNELS: Channels = new Map([
  ['email', null],
  ['sms', '+15005550006'],
]);

/** The outcome of a step for a contact. */
export interface Outcome {
  skipped: string | null;
  /** The gates that deferred it before, in order. */
  heldBy: string[];
  atMs: number;
}

const ZONES = [
  undefined,
  'Europe/Berlin',
  'America/New_York',
  'America/Los_Angeles',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  ' Asia/Tokyo ',
  'UTC',
  'Moon/Base',
  '',
  7,
];
/** Numbers of Germany, the USA, Russia, several countries, New Zealand, no country, and one without a time zone. */
const NUMBERS = [null, '+491511200', '+1212555', '+7916100', '+44770090', '+6421100', '+8001234', '+3834410'];
const DOMAINS = [null, 'acme.example', 'acme.example', 'else.example', 'blocked.example'];
const FORMER_SENDS = [0.3, 3, 9, 20].map((hoursAgo) => ({ hoursAgo, status: 'accepted' }));

const anyContact = fc.record({
  zone: fc.constantFrom(...ZONES),
  prefix: fc.constantFrom(...NUMBERS),
  domain: fc.constantFrom(...DOMAINS),
  isBlocked: fc.integer({ min: 1, max: 20 }).map((n) => n === 1),
  suppression: fc.constantFrom(...Array.from({ length: 8 }, () => null), 'unsubscribed', 'bounced'),
  formerSends: fc.subarray([...FORMER_SENDS, { hoursAgo: 1, status: 'failed' }], { maxLength: 2 }),
});

/**
 * Creates an org with many kinds of contacts: in various time zones or none, blocked, suppressed, without an address,
 * or with sends earlier today.
 */
export async function seedWorld(db: Db, contacts: number, seed: number): Promise<string> {
  const partner = await createPartner(db, { name: 'Partner' });
  const { id: orgId } = await createOrg(db, partner.id, { name: 'Org' });
  const people = fc.sample(anyContact, { seed, numRuns: contacts }).map(({ zone, prefix, domain, ...more }, i) => ({
    ...more,
    id: newId(),
    email: domain === null ? null : `c${i}@${domain}`,
    phone_number: prefix === null ? null : prefix + String(i).padStart(4, '0'),
    custom_data: { timezone: zone },
  }));
  await sql`
    insert into contacts (org_id, id, email, phone_number, custom_data)
    select ${orgId}::uuid, id, email, phone_number, custom_data
    from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) as c (id uuid, email text, phone_number text, custom_data jsonb)
  `.execute(db);
  await blockDomains(db, orgId, { domains: 'blocked.example' });
  for (const { email, isBlocked } of people) if (isBlocked && email !== null) await blockContact(db, orgId, { email });
  await sql`
    insert into suppressions (org_id, id, channel, address, reason)
    select ${orgId}::uuid, gen_random_uuid(), channel, address, suppression
    from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) as c (email text, phone_number text, suppression text)
    cross join lateral (values ('email', email), ('sms', phone_number)) as a (channel, address)
    where suppression is not null and address is not null
  `.execute(db);
  const other = await createOneOff(db, orgId, [emailStep('Other')]);
  const sends = people.flatMap(({ id, formerSends }) => formerSends.map((send) => ({ ...send, contact_id: id })));
  await sql`
    insert into deliveries (org_id, id, channel, sequence_id, contact_id, "to", status, began_at)
    select ${orgId}::uuid, gen_random_uuid(), 'email', ${other}::uuid, contact_id, 'x@acme.example', status, now() - hours * interval '1 hour'
    from jsonb_to_recordset(${JSON.stringify(sends)}::jsonb) as s (contact_id uuid, status text, hours float8)
  `.execute(db);
  return orgId;
}

/** Creates a one-off sequence to all contacts, not yet started. */
export async function createOneOff(db: Db, orgId: string, steps: object[], gates: object = {}): Promise<string> {
  const input = { name: 'News', is_continuous: false, filter: null, steps, gates };
  return (await createSequence(db, orgId, input as Parameters<typeof createSequence>[2], { isDevelopment: true })).id;
}

const POOL = {};

/** Accepts everything at once, by mail and SMS. The other channels are not configured. */
export const COSTLESS: MessageSenders = {
  of: async (_, channel) => {
    const fromAddress = CHANNELS.get(channel);
    if (fromAddress === undefined) return undefined;
    const send: MessageSender['send'] = async ({ deliveryId }) => ({ kind: 'accepted', providerId: deliveryId });
    return { provider: 'costless', fromAddress, concurrency: 1_000, pool: POOL, send };
  },
  close: () => undefined,
};

/** Records each deferral of a delivery by a gate: the ledger stores only the last. */
export async function recordHolds(db: Db): Promise<void> {
  await sql`
    create table testclock.holds (id bigint generated always as identity, delivery_id uuid not null, gate text not null);
    create function testclock.record_hold() returns trigger language plpgsql as
      'begin insert into testclock.holds (delivery_id, gate) values (new.id, new.gate); return null; end';
    create trigger record_hold after insert or update of status on public.deliveries for each row when (new.status = 'held')
      execute function testclock.record_hold();
  `.execute(db);
}

/** Returns the outcomes by contact and step according to the forecast. */
export async function plannedOutcomes(db: Db, orgId: string, sequenceId: string): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for await (const planned of planDeliveries(db, orgId, await getSequence(db, orgId, sequenceId), {
    channels: CHANNELS,
  })) {
    const { contact_id, index, at, skipped, heldBy } = planned;
    outcomes.set(`${contact_id} ${index}`, { skipped, heldBy, atMs: at.getTime() });
  }
  return outcomes;
}

/** Returns the outcomes by contact and step according to the ledger. */
export async function ledgerOutcomes(db: Db, orgId: string, sequenceId: string): Promise<Map<string, Outcome>> {
  const { rows } = await sql<Outcome & { key: string }>`
    select contact_id || ' ' || step.position as key, case status when 'accepted' then null else coalesce(reason, status) end as skipped,
      extract(epoch from coalesce(began_at, created_at))::float8 * 1000 as "atMs",
      array(select gate from testclock.holds as hold where hold.delivery_id = delivery.id order by hold.id) as "heldBy"
    from deliveries as delivery join sequence_steps as step on step.org_id = delivery.org_id and step.id = delivery.step_id
    where delivery.org_id = ${orgId} and delivery.sequence_id = ${sequenceId}
  `.execute(db);
  return new Map(rows.map(({ key, ...outcome }) => [key, outcome]));
}
