// Sends a campaign to the contacts with a plan, except those who have opted out, and deletes all that it has made.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/campaign.ts
import { itemsOf, Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const plan = `example-${crypto.randomUUID()}`;

const emails = ['ada.campaign@example.com', 'grace.campaign@example.com'];
const ids: string[] = [];
for (const email of emails) {
  const { id } = await switchboard.saveContact({ body: { contact: { email, custom_data: { plan } } } });
  ids.push(id);
}
// Grace has opted out, such as by the link in an earlier mail.
const optOut = await switchboard.addSuppression({ body: { address: emails[1] ?? '' } });

const campaign = await switchboard.createSequence({
  body: {
    name: 'example: news',
    is_continuous: false,
    filter: { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan }] }] }] },
    steps: [
      {
        action: {
          type: 'send_emails',
          data: {
            from_email: 'news@example.org',
            email_sender_name: 'Example',
            email_subject: 'News for {{contact.name|you}}',
            email_body: '<p>There is something new.</p>',
            email_is_transactional: false,
          },
        },
      },
    ],
  },
});
try {
  await switchboard.startSequence({ path: { id: campaign.id } });
  await waitFor(() => switchboard.getSequence({ path: { id: campaign.id } }), {
    until: ({ status }) => status === 'complete',
    timeoutMs: 60_000,
  });
  const sent = itemsOf((page) => switchboard.listDeliveries({ query: { ...page, sequence_id: campaign.id } }));
  for await (const { to, status, reason } of sent) console.log(`${to}: ${status}${reason ? `, ${reason}` : ''}`);
} finally {
  await switchboard.deleteSequence({ path: { id: campaign.id } });
  await switchboard.deleteSuppression({ path: { id: optOut.id } });
  for (const id of ids) await switchboard.deleteContact({ path: { id } });
}
