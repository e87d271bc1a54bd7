import type { Connecting } from './channels.ts';
import { startFakeHubspot } from './fakes/hubspot/server.ts';
import { APP_ID } from './fakes/hubspot/threads.ts';
import { deliver } from './fakes/hubspot/webhooks.ts';
import type { TestOrg } from './stack/api.ts';
import { eventually } from './stack/stack.ts';

const SECRET = 'secret of the app';

export type OrgWithHubspot = Awaited<ReturnType<typeof connectHubspot>>;

/** An org that has connected a fake HubSpot. Settings are over those of the connection. */
export async function connectHubspot(
  org: Connecting,
  settings: object = {},
  faultOf?: Parameters<typeof startFakeHubspot>[0],
) {
  const hubspot = await startFakeHubspot(faultOf);
  const put = (more: object = {}) =>
    org.put('/integrations/crm', {
      provider: 'hubspot',
      settings: {
        base_url: hubspot.url,
        access_token: hubspot.accessToken,
        webhook_secret: SECRET,
        app_id: String(APP_ID),
        ai_user_id: '900',
        ...settings,
        ...more,
      },
    });
  const { status, body } = await put();
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return {
    hubspot,
    /** Connects it anew with other settings. */
    reconnect: put,
    /** Posts events to the org's receiver, as HubSpot does. */
    deliver: (...events: unknown[]) => deliver(body.webhook_url, events, { secret: SECRET }),
  };
}

/** What a session's history holds, each as its type and the most of what it says. */
export async function historyOf(org: TestOrg, sessionId: string): Promise<string[]> {
  const { items } = (await org.get(`/chat/sessions/${sessionId}/history?limit=200`)).body;
  return items.map(({ event }: { event: { type: string; sender?: { type: string }; content?: { text: string } } }) =>
    [event.type === 'message' ? event.sender?.type : event.type, event.content?.text].filter(Boolean).join(': '),
  );
}

/** The session that a thread of the CRM is. */
export const sessionOfThread = (org: TestOrg, threadId: string) =>
  eventually(`a session of thread ${threadId}`, async () => {
    const { items } = (await org.get('/chat/sessions')).body;
    return items.find(
      ({ ticketing_system: system }: { ticketing_system: { external_id: string } | null }) =>
        system?.external_id === threadId,
    );
  });

/** What a session's history holds once something is said there. */
export const untilHistoryHas = (org: TestOrg, sessionId: string, text: string) =>
  eventually(`${text} in the history`, async () => {
    const story = await historyOf(org, sessionId);
    return story.some((line) => line.includes(text)) && story;
  });
