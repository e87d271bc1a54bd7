import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ProactiveChannel } from '../../deliveries/contract.ts';

/** The properties of a step deciding its recipients. */
export interface SendRule {
  channel: ProactiveChannel;
  /** Transactional mail ignores opt-outs, but not bounced addresses. */
  isTransactional: boolean;
  /** The reason for sending nothing at all, or null. */
  missingSenderReason: string | null;
  /** SQL: whether one of the e-mails of `contact` is blocked. */
  isContactBlocked: RawBuilder<SqlBool>;
  /** Contacts who replied since the enrollment get nothing more. */
  exitsOnReply: boolean;
  /** SQL over a row called `contacts`: contacts not matching get nothing more. Null skips the check. */
  staysWhile: Expression<SqlBool> | null;
}

/** What of a rule decides whether an address gets anything. */
export type AddressRule = Pick<SendRule, 'channel' | 'isTransactional'>;

/** SQL: the condition on `suppression`, a row of an address, to keep the messages of a rule from it. */
export const isSuppressing = (orgId: string, { channel, isTransactional }: AddressRule) => sql<SqlBool>`
  suppression.org_id = ${orgId} and suppression.channel = ${channel} and (${!isTransactional}::boolean or suppression.reason = 'bounced')`;

/**
 * Returns SQL over a row called `contact`: the address of a step, and its eligibility at this moment with the reason. A
 * `gate` in the result ends the enrollment. Sending and forecasts share this one rule. `offset 0` keeps Postgres from
 * repeating every subquery at each reference, which made planning take eight times as long as running.
 */
export function eligibilityOf(
  orgId: string,
  { channel, isTransactional, missingSenderReason, isContactBlocked, exitsOnReply, staysWhile }: SendRule,
) {
  const address = channel === 'email' ? sql<string | null>`contact.email` : sql<string | null>`contact.phone_number`;
  const missing = channel === 'email' ? 'the contact has no e-mail address' : 'the contact has no phone number';
  const suppression = sql<string | null>`(
    select suppression.reason from suppressions as suppression
    where ${isSuppressing(orgId, { channel, isTransactional })} and suppression.address = ${address}
  )`;
  const reply = !exitsOnReply
    ? sql<string | null>`null::text`
    : sql<string | null>`(
        select 'the contact replied by ' || channel || ' at ' || to_char(at at time zone 'UTC', ${ISO_SECONDS})
        from (
          select message.channel, message.received_at from inbound_messages as message
          where message.org_id = ${orgId} and message.contact_id = contact.id and message.received_at > enrollment.created_at
            and message.is_reply
          union all
          select session.channel, event.created_at from sessions as session
          join session_events as event on event.org_id = session.org_id and event.session_id = session.id
            and event.seq = session.last_contact_seq
          where session.org_id = ${orgId} and session.contact_id = contact.id and event.created_at > enrollment.created_at
            and not event.data ? 'is_ignored'
        ) as reply (channel, at)
        order by at limit 1
      )`;
  const isUnmatched =
    staysWhile === null
      ? sql<SqlBool>`false`
      : sql<SqlBool>`not exists (select from contacts where contacts.org_id = contact.org_id and contacts.id = contact.id and ${staysWhile})`;
  const eligibility = sql<{ status: string; reason: string | null; gate: string | null }>`
    select
      case when reply is not null or is_unmatched or is_blocked or address is null then 'skipped' when suppressed is not null then 'suppressed'
        when ${missingSenderReason}::text is not null then 'failed' else 'sending' end as status,
      case when reply is not null then 'exit_on_reply: ' || reply
        when is_unmatched then 'exit_when_unmatched: the contact no longer matches the filter'
        when is_blocked then 'the contact is blocked' when address is null then ${missing}
        when suppressed is not null then suppressed else ${missingSenderReason}::text end as reason,
      case when reply is not null then 'exit_on_reply' when is_unmatched then 'exit_when_unmatched' end as gate
    from (
      select ${isContactBlocked} as is_blocked, ${address} as address, ${suppression} as suppressed, ${reply} as reply, ${isUnmatched} as is_unmatched
      offset 0
    ) as facts
    offset 0`;
  return { address, eligibility };
}

const ISO_SECONDS = 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
