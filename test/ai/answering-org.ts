import type { Db } from '../../src/db/connect.ts';
import type { TestApi, TestOrg } from '../support/stack/api.ts';

/** Articles of a help center, each about one thing. */
export const ARTICLES = [
  {
    title: 'Refunds',
    slug: 'refunds',
    content_markdown: 'Refunds arrive within five working days on the card that was charged. Shipping costs are not refunded.',
  },
  {
    title: 'Opening hours',
    slug: 'opening-hours',
    content_markdown: 'Our shop is open from Monday to Friday, nine to six. It is closed on public holidays.',
  },
  {
    title: 'Gift cards',
    slug: 'gift-cards',
    content_markdown: 'Gift cards are valid for three years. They cannot be exchanged for cash.',
  },
];

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
