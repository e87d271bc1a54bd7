import type { TestOrg } from '../../support/stack/api.ts';

/** What the addresses of the settings need. */
export interface SettingsSeeds {
  webhookId: string;
}

/** Nobody answers there. */
const url = 'http://127.0.0.1:9/hooks';

/** Fills the lists of the settings, each with a row or more. */
export async function seedSettings(org: TestOrg): Promise<SettingsSeeds> {
  const hours = {
    name: 'Weekdays',
    iana_timezone: 'Europe/Berlin',
    shifts: [
      { day_of_week: 'monday_to_friday', start_time: '09:00:00', end_time: '17:30:00' },
      { day_of_week: 'saturday', start_time: '20:00:00', end_time: '02:00:00' },
    ],
    holidays: [{ date: '2026-12-25', name: 'Christmas' }],
  };
  const { body: office } = await org.post('/office-hours', hours);
  const targets = { first_reply_target_seconds: 900, resolution_target_seconds: 86_400 };
  await org.post('/sla/policies', { name: 'Standard', office_hours_id: office.id, ...targets });
  const { body: category } = await org.post('/tags/categories', { name: 'Subjects' });
  await org.put('/tags', { tag_name: 'refund', category_id: category.id, description: 'Money goes back' });
  await org.put('/email/inboxes', { address: 'support@acme.example', display_name: 'Acme Support' });
  await org.put('/integrations/email', { provider: 'smtp', settings: { host: 'smtp.acme.example' } });
  await org.put('/integrations/crm', { provider: 'hubspot', settings: { access_token: 'a-token' } });
  await org.withScopes('contacts:read', 'contacts:write');
  const { status, body: endpoint } = await org.post('/webhooks', { url, description: 'The shop' });
  expect([endpoint.message, status]).toEqual([undefined, 201]);
  await org.post(`/webhooks/${endpoint.id}/test`);
  return { webhookId: endpoint.id };
}
