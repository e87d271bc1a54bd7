import type { Answer, TestApi, TestOrg } from '../support/stack/api.ts';

/**
 * The chat widget per its contract. Its API URL points at the API. It has a bot token, and a contact's token once there
 * is one.
 */
export interface Widget {
  token: string | undefined;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  newSession(customData?: object): Promise<string>;
  send(sessionId: string, content: string, more?: object): Promise<Answer>;
  upload(content: Uint8Array | string, fileName: string): Promise<Answer>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  poll(sessionId: string): Promise<any>;
  /** The texts of a poll's history, each with the kind of its sender. */
  said(sessionId: string): Promise<[string, string][]>;
}

/** Returns the widget of an org with a contact's token, or with none yet. */
export function widgetOf(api: TestApi, org: TestOrg, token?: string): Widget {
  const headers = (more: Record<string, string> = {}) => ({
    origin: 'https://shop.example',
    'x-bot-token': org.widgetToken,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...more,
  });
  const at = (path: string) => `/backend/widget/v2/${path}`;
  const widget: Widget = {
    token,
    get: (path, more) => api.client().get(at(path), { headers: headers(more) }),
    post: (path, body, more) => api.client().post(at(path), body, { headers: headers(more) }),
    async newSession(customData) {
      return (await widget.post('create-session', { customData })).body.id;
    },
    send: (session_id, content, more = {}) =>
      widget.post('chat/send', {
        uuid: crypto.randomUUID(),
        content,
        session_id,
        bot_token: org.widgetToken,
        ...more,
      }),
    upload(content, fileName) {
      const form = new FormData();
      form.append('file', new File([Buffer.from(content)], fileName));
      return widget.post('upload', form);
    },
    poll: async (sessionId) => (await widget.get(`poll/${sessionId}`)).body,
    said: async (sessionId) =>
      (await widget.poll(sessionId)).history.map(
        ({ sender, content }: { sender: { kind: string }; content: { text: string } }) => [sender.kind, content.text],
      ),
  };
  return widget;
}

/** Returns the widget of an unverified visitor. */
export async function unverified(api: TestApi, org: TestOrg, claims: object = {}): Promise<Widget> {
  const { body } = await widgetOf(api, org).post('contact/create-unverified', claims);
  return widgetOf(api, org, body.token);
}

/** Returns the widget of a user verified by the org, and the contact's id. */
export async function verified(api: TestApi, org: TestOrg, email: string, more: object = {}) {
  const { body } = await org.post('/widget/authenticate-user', { email, ...more });
  return { widget: widgetOf(api, org, body.token), contactId: body.contact.id as string };
}
