// Closes the open conversations about an order once the back end has shipped it, with a note that says why.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/close-tickets.ts
import { itemsOf, Switchboard } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const order = `example-${crypto.randomUUID()}`;

// A customer asks. In a shop, this comes from the widget or by mail.
const contact = await switchboard.saveContact({ body: { contact: { external_id: order, name: 'Ada' } } });
const asked = await switchboard.createChatSession({ body: { contact_id: contact.id } });
await switchboard.updateChatSession({ path: { id: asked.id }, body: { custom_data: { order } } });

try {
  const open = itemsOf((page) => switchboard.listChatSessions({ query: { ...page, status: 'open', limit: 100 } }));
  for await (const session of open) {
    if (session.custom_data.order !== order) continue;
    const path = { id: session.id };
    await switchboard.addChatSessionNote({ path, body: { text: `The order ${order} was shipped` } });
    await switchboard.updateChatSession({ path, body: { status: 'closed_resolved' } });
    console.log(`Ticket ${session.ticket_number} is closed`);
  }
} finally {
  await switchboard.updateChatSession({ path: { id: asked.id }, body: { status: 'closed_resolved' } });
  await switchboard.deleteContact({ path: { id: contact.id } });
}
