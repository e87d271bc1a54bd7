// Publishes an article, lets the AI answer a question from it, and puts everything back.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/help-center-answers.ts
import { Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const CHANNEL = 'api';

const before = await switchboard.getContentTree();
const channels = await switchboard.listAutopilot();
const wasOn = channels.find(({ channel }) => channel === CHANNEL)?.autopilot_enabled ?? false;
const article = {
  title: 'Refunds for wool scarves',
  slug: 'wool-scarves',
  content_markdown: 'Refunds for wool scarves arrive within five working days on the card that was charged.',
};
const example = { name: 'Example', slug: 'example-answers', articles: [article] };
await switchboard.syncContentTree({ body: { ...before, categories: [...before.categories, example] } });
await switchboard.updateAutopilot({ body: { channel: CHANNEL, autopilot_enabled: true } });

const session = await switchboard.createChatSession({ body: { channel: { type: CHANNEL } } });
try {
  await switchboard.sendMessage({
    path: { id: session.id },
    body: {
      sender: 'contact',
      message: { type: 'text', text: 'Within how many working days do refunds for wool scarves arrive on the card?' },
    },
  });
  const { items } = await waitFor(() => switchboard.listChatSessionTurns({ path: { id: session.id } }), {
    until: (turns) => turns.items.some(({ state }) => !['waiting', 'running'].includes(state)),
    timeoutMs: 60_000,
  });
  for (const { state, citations } of items) console.log(`${state}: ${citations.map(({ title }) => title).join(', ')}`);
} finally {
  await switchboard.updateChatSession({ path: { id: session.id }, body: { status: 'closed_resolved' } });
  await switchboard.updateAutopilot({ body: { channel: CHANNEL, autopilot_enabled: wasOn } });
  await switchboard.syncContentTree({ body: before });
}
