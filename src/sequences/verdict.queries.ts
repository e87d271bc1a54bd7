import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Channel } from '../deliveries/contract.ts';

/** What of a step decides who gets it. */
export interface SendRule {
  channel: Channel;
  /** Passes those who opted out, but not those whose address bounced. */
  isTransactional: boolean;
  /** Why nothing can be sent at all, or null. */
  obstacle: string | null;
  /** SQL: whether the e-mail of `contact` is blocked. */
  isBlocked: RawBuilder<SqlBool>;
}

/**
 * SQL over a row called `contact`: where a step would reach it, and why it would not, by what holds at this moment. The one rule for sending
 * and for forecasts.
 */
export function verdictOn(orgId: string, { channel, isTransactional, obstacle, isBlocked }: SendRule) {
  const address = channel === 'email' ? sql<string | null>`contact.email` : sql<string | null>`contact.phone_number`;
  const missing = channel === 'email' ? 'the contact has no e-mail address' : 'the contact has no phone number';
  const suppression = sql<string | null>`(
    select suppression.reason from suppressions as suppression
    where suppression.org_id = ${orgId} and suppression.channel = ${channel} and suppression.address = ${address}
      and (${!isTransactional}::boolean or suppression.reason = 'bounced')
  )`;
  const verdict = sql<{ status: string; reason: string | null }>`
    select
      case when is_blocked or address is null then 'skipped' when suppressed is not null then 'suppressed'
        when ${obstacle}::text is not null then 'failed' else 'sending' end as status,
      case when is_blocked then 'the contact is blocked' when address is null then ${missing}
        when suppressed is not null then suppressed else ${obstacle}::text end as reason
    from (select ${isBlocked} as is_blocked, ${address} as address, ${suppression} as suppressed) as facts`;
  return { address, verdict };
}
