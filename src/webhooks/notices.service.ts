import type { Trx } from '../db/connect.ts';
import { requestEmails } from '../deliveries/email/service.ts';
import { findVerifiedDomain } from '../deliveries/email-domains/service.ts';
import { listMembersWithRole } from '../orgs/members/service.ts';
import type { Reaction } from '../outbox/reactions.ts';
import { findEndpoint } from './endpoints/shared.queries.ts';

const MAX_RECIPIENTS = 100;

const REASONS = {
  gone: 'It answered 410 Gone: it wants no more webhooks.',
  failing: 'It has accepted nothing for five days.',
};

/** Returns a reaction to `webhook-disabled`: tells the org's admins by mail, if the org has a verified sending domain. */
export const createDisabledNotice =
  ({ isDevelopment }: { isDevelopment: boolean }): Reaction<'webhook-disabled'> =>
  async (trx, orgId, events) => {
    const domain = (await findVerifiedDomain(trx, orgId)) ?? (isDevelopment ? 'localhost.localdomain' : undefined);
    if (domain === undefined) return;
    const recipients = await listAdmins(trx, orgId);
    for (const { id, subject_id, payload } of events) {
      const endpoint = await findEndpoint(trx, orgId, subject_id);
      if (endpoint === undefined || recipients.length === 0) continue;
      const fallback_email_body = [
        `The webhook endpoint ${endpoint.url} was disabled. ${REASONS[payload.because]}`,
        'What happens from now on is held for 30 days. Once the endpoint works again, enable it and recover what was held:',
        `PATCH /webhooks/${endpoint.id} {"enabled": true}`,
        `POST /webhooks/${endpoint.id}/recover`,
      ].join('\n\n');
      await requestEmails(
        trx,
        orgId,
        {
          from_email: `notifications@${domain}`,
          recipients,
          fallback_email_subject: 'A webhook endpoint was disabled',
          fallback_email_body,
          is_html: false,
        },
        { isDevelopment, requestKey: `webhook disabled ${id}` },
      );
    }
  };

async function listAdmins(trx: Trx, orgId: string) {
  const admins = (await listMembersWithRole(trx, orgId)).filter(({ role }) => role === 'admin');
  return admins.slice(0, MAX_RECIPIENTS).map(({ email }) => ({ to_email: email, email_is_transactional: true }));
}
