import { isPassing, Refused } from './client.ts';
import type { Core } from './core.ts';
import { backoffMs } from './rules/backoff.rules.ts';
import type { Outgoing } from './storage.ts';
import type { Uploaded } from './wire.ts';

/** Sends the visitor's messages: in order, each once by its uuid, and later if the server cannot be reached. */
export function createDelivery(core: Core, onSent: () => void) {
  const { client, storage, tabs, options } = core;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Changes the queue, which all tabs share. */
  const change = (queue: Outgoing[]): void => {
    storage.set({ queue });
    tabs.tell({ kind: 'memory' });
  };
  const show = (uuid: string, error?: string): void =>
    core.set({ outgoing: core.state().outgoing.map((one) => (one.uuid === uuid ? { ...one, error } : one)) });
  const remove = (uuid: string): void => change(storage.get().queue.filter((one) => one.uuid !== uuid));

  async function ensureVisitor(): Promise<void> {
    if (options.userToken || storage.get().visitor) return;
    const { name, email, customData } = options.claims ?? {};
    const claims = {
      non_verified_name: name || null,
      email: email || null,
      non_verified_custom_data: customData ?? null,
    };
    storage.set({ visitor: (await client.createVisitor(claims)).token });
  }

  async function ensureSession(): Promise<string> {
    await ensureVisitor();
    const known = storage.get().session;
    if (known) return known;
    const session = await client.createSession(options.sessionData ?? {});
    storage.set({ session: session.id });
    core.set({ session });
    core.emit('session', session);
    return session.id;
  }

  /** Sends the first message. Returns whether the next one can follow. */
  async function sendFirst(message: Outgoing): Promise<void> {
    const session_id = await ensureSession();
    const greetings = core.state().items.length === 0 ? greetingsOf(core) : [];
    const answer = await client.send({
      ...options.message,
      uuid: message.uuid,
      content: message.text,
      session_id,
      attachments: message.files.map(({ url }) => ({ fileUrl: url })),
      language: core.state().language?.code,
      initial_messages: greetings,
    });
    remove(message.uuid);
    if (!answer.success) return show(message.uuid, answer.error?.message ?? '');
    if (answer.session) core.set({ session: answer.session });
  }

  async function flushAll(): Promise<void> {
    let isKnown = true;
    for (let message = storage.get().queue[0]; message; message = storage.get().queue[0]) {
      try {
        await sendFirst(message);
        failures = 0;
        isKnown = true;
        core.set({ isOffline: false });
        onSent();
      } catch (error) {
        const status = error instanceof Refused ? error.status : 0;
        if (status === 401 && isKnown) core.forget();
        else if (status === 404 && isKnown) storage.set({ session: undefined });
        else if (isPassing(error)) return later(error);
        else {
          remove(message.uuid);
          show(message.uuid, (error as Error).message);
        }
        isKnown = status !== 401 && status !== 404;
      }
    }
  }

  function later(error: unknown): void {
    core.set({ isOffline: true });
    const wait = Math.max(backoffMs(failures++), error instanceof Refused ? error.retryAfterMs : 0);
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), wait);
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    return tabs.inTurn('send', flushAll);
  };
  addEventListener('online', () => void flush());

  return {
    flush,
    send(text: string, files: Outgoing['files']): Promise<void> {
      const message = { uuid: crypto.randomUUID(), text, files, at: new Date().toISOString() };
      storage.begin();
      storage.set({ draft: '' });
      core.set({ outgoing: [...core.state().outgoing, message], error: undefined });
      change([...storage.get().queue, message]);
      return flush();
    },
    retry(uuid: string): Promise<void> {
      const message = core.state().outgoing.find((one) => one.uuid === uuid);
      show(uuid);
      if (message) change([...storage.get().queue, { ...message, error: undefined }]);
      return flush();
    },
    discard(uuid: string): void {
      remove(uuid);
      core.set({ outgoing: core.state().outgoing.filter((one) => one.uuid !== uuid) });
    },
    async upload(file: File, onProgress: (share: number) => void): Promise<Uploaded> {
      storage.begin();
      await ensureVisitor();
      try {
        return await client.upload(file, onProgress);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 401) throw error;
        core.forget();
        await ensureVisitor();
        return client.upload(file, onProgress);
      }
    },
  };
}

/** The first words of an empty chat: the page's, the org's or our own. */
export function greetingsOf({ options, state }: Pick<Core, 'options' | 'state'>): string[] {
  const { config, language } = state();
  const greeting = config?.appearance.greeting ?? language?.words.greeting;
  return options.greetings ?? (greeting ? [greeting] : []);
}
