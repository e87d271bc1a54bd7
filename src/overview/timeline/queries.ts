import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import type { Position } from '../../db/cursor.ts';
import type { Channel } from '../../deliveries/contract.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { TimelineKind } from './schema.ts';

export interface TimelineRow {
  id: string;
  at: Date;
  kind: TimelineKind;
  title: string;
  status: string | null;
  ref: { kind: string; id: string };
}

interface Person {
  orgId: string;
  contactId: string;
  /** Its id, and those of the contacts merged into it. */
  knownIds: string[];
}

/** What people call a channel, behind "by". */
const CHANNEL_NAMES: Record<SessionChannel | Channel, string> = {
  web: 'web chat',
  email: 'e-mail',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  phone_voice: 'phone',
  web_voice: 'voice chat',
  voice: 'phone',
  messenger: 'Messenger',
  instagram: 'Instagram',
  slack: 'Slack',
  api: 'the API',
};

/** SQL: the name of a channel. */
const channelName = (channel: string): RawBuilder<string> =>
  sql`(${JSON.stringify(CHANNEL_NAMES)}::jsonb ->> ${sql.ref(channel)})`;

/** SQL: the API key or the member that opened a session of the API, if its event tells. */
const OPENER = sql`(
  select case event.actor ->> 'kind' when 'key' then 'the API key ' || (event.actor ->> 'name') when 'member' then event.actor ->> 'name' end
  from session_events as event
  where session.channel = 'api' and event.org_id = session.org_id and event.session_id = session.id and event.seq = 0
)`;

/** SQL for the rows of each kind: id, at, title, status, what it refers to, and the id of this. */
const ROWS: Record<TimelineKind, (person: Person) => RawBuilder<unknown>> = {
  session: ({ orgId, contactId }) => sql`
    select session.id, session.created_at, 'Conversation #' || session.ticket_number || ' by ' || coalesce(${OPENER}, ${channelName('session.channel')}),
      session.status, 'session', session.id
    from sessions as session where session.org_id = ${orgId} and session.contact_id = ${contactId}`,
  delivery: ({ orgId, contactId }) => sql`
    select delivery.id, delivery.created_at, coalesce(sequence.name || coalesce(', step ' || step.number, ''), 'Message') || ' by ' || ${channelName('delivery.channel')},
      delivery.status, 'delivery', delivery.id
    from deliveries as delivery
    left join sequences as sequence on sequence.org_id = delivery.org_id and sequence.id = delivery.sequence_id
    left join lateral (
      select nullif(count(*), 0) as number
      from sequence_steps as reached
      join sequence_steps as earlier on earlier.org_id = reached.org_id and earlier.sequence_id = reached.sequence_id
        and earlier.position <= reached.position and earlier.deleted_at is null
      where reached.org_id = delivery.org_id and reached.id = delivery.step_id and reached.deleted_at is null
    ) as step on true
    where delivery.org_id = ${orgId} and delivery.contact_id = ${contactId}`,
  enrollment: ({ orgId, contactId }) => sql`
    select enrollment.id, enrollment.created_at, sequence.name, enrollment.status, 'sequence', sequence.id
    from enrollments as enrollment
    join sequences as sequence on sequence.org_id = enrollment.org_id and sequence.id = enrollment.sequence_id
    where enrollment.org_id = ${orgId} and (enrollment.contact_id = ${contactId} or enrollment.merged_contact_id = ${contactId})
      and sequence.deleted_at is null`,
  run: ({ orgId, knownIds }) => sql`
    select run.id, run.created_at, version.name, run.status, 'run', run.id
    from automation_runs as run
    join automations as workflow on workflow.org_id = run.org_id and workflow.id = run.automation_id and workflow.deleted_at is null
    join automation_versions as version on version.org_id = run.org_id and version.id = run.version_id
    where run.org_id = ${orgId} and run.trigger_output #>> '{contact,id}' = any(${knownIds}::text[])`,
  csat: ({ orgId, contactId }) => sql`
    select csat.id, csat.created_at, 'Rating of conversation #' || session.ticket_number, csat.score::text, 'session', session.id
    from sessions as session
    join csat_scores as csat on csat.org_id = session.org_id and csat.session_id = session.id
    where session.org_id = ${orgId} and session.contact_id = ${contactId}`,
  suppression: ({ orgId, contactId }) => sql`
    select suppression.id, suppression.created_at, suppression.address || ' by ' || ${channelName('suppression.channel')}, suppression.reason,
      'suppression', suppression.id
    from contacts as contact
    cross join lateral (
      values ('email', contact.email), ('sms', contact.phone_number), ('whatsapp', contact.phone_number), ('voice', contact.phone_number)
    ) as reached (channel, address)
    join suppressions as suppression on suppression.org_id = contact.org_id
      and suppression.channel = reached.channel and suppression.address = reached.address
    where contact.org_id = ${orgId} and contact.id = ${contactId}`,
};

/** Lists what there is of a contact, newest first, and one more if there is one. */
export async function listTimeline(
  db: Db,
  person: Person,
  { kinds, after, limit }: { kinds: TimelineKind[]; after: Position | undefined; limit: number },
): Promise<TimelineRow[]> {
  if (kinds.length === 0) return [];
  const behind =
    after === undefined ? sql`` : sql`where (item.at, item.id) < (${after.at}::timestamptz, ${after.id}::uuid)`;
  const end = sql`order by at desc, id desc limit ${limit + 1}`;
  const parts = kinds.map(
    (kind) => sql`
    (select item.id, item.at, ${kind}::text as kind, item.title, item.status, jsonb_build_object('kind', item.ref, 'id', item.ref_id) as ref
      from (${ROWS[kind](person)}) as item (id, at, title, status, ref, ref_id) ${behind} ${end})`,
  );
  const { rows } = await sql<TimelineRow>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select * from (${sql.join(parts, sql` union all `)}) as item ${end}
  `.execute(db);
  return rows;
}
