import type { Db } from '../../src/db/connect.ts';
import type { TestApi, TestOrg } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const article = (title: string, content_markdown: string) => ({
  title,
  slug: title.toLowerCase().replaceAll(' ', '-'),
  content_markdown,
});

/** Articles of a help center, each about one thing. */
export const ARTICLES = [
  article(
    'Refunds',
    'Refunds arrive within five working days on the card that was charged. Shipping costs are not refunded.',
  ),
  article('Opening hours', 'Our shop is open from Monday to Friday, nine to six. It is closed on public holidays.'),
  article('Gift cards', 'Gift cards are valid for three years. They cannot be exchanged for cash.'),
  article('Change your password', 'Open the account page, choose Security, and enter a new password twice.'),
  article(
    'Delivery by bicycle',
    'Couriers bring small parcels by bicycle within the city. Rain delays them by an hour.',
  ),
  article('Warranty of lamps', 'Every lamp has a warranty of four years. Send a photo of the broken part.'),
  article('Invoices', 'Invoices are sent by e-mail on the first of each month. The tax number stands at the top.'),
  article('Cancel a subscription', 'A subscription ends at the end of the paid month. Press Cancel under Billing.'),
];

/** A question that the first article answers. */
export const QUESTION = 'When does a refund arrive on the card that was charged, how many working days?';

interface AnsweringOrg {
  autopilot?: boolean;
  articles?: typeof ARTICLES;
}

/** Returns an org with a help center and with autopilot on web and api. */
export async function newAnsweringOrg(
  api: Pick<TestApi, 'createOrg'>,
  { autopilot = true, articles = ARTICLES }: AnsweringOrg = {},
): Promise<TestOrg> {
  const org = await api.createOrg();
  await org.put('/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
  for (const channel of autopilot ? ['web', 'api', 'email'] : [])
    await org.patch('/autopilot', { channel, autopilot_enabled: true });
  return org;
}

/** Returns such an org once its answers are calibrated: its turns wait for nothing. */
export async function newCalibratedOrg(...given: Parameters<typeof newAnsweringOrg>): Promise<TestOrg> {
  const org = await newAnsweringOrg(...given);
  await eventually('a calibration', async () => (await org.get('/autopilot/calibration')).body.measured_at !== null);
  return org;
}

/** Returns the turns of a session, oldest first. */
export const turnsOf = (db: Db, sessionId: string) =>
  db.selectFrom('ai_turns').selectAll().where('session_id', '=', sessionId).orderBy('number').execute();

interface Message {
  sender: { type: string };
  content: { text: string };
  agent?: string;
  citations?: { title: string; url: string | null; quote: string | null }[];
}

/** Returns the messages of a session's history, oldest first. */
export async function messagesOf(org: TestOrg, sessionId: string): Promise<Message[]> {
  const { body } = await org.get(`/chat/sessions/${sessionId}/history`);
  return body.items
    .filter(({ event }: { event: { type: string } }) => event.type === 'message')
    .map(({ event }: { event: Message }) => event);
}
