import { isPassing, Refused } from './client.ts';
import type { Core } from './core.ts';
import type { Polling } from './polling.ts';
import { backoffMs } from './rules/backoff.rules.ts';
import type { Outgoing } from './storage.ts';
import type { Uploaded } from './wire.ts';

/** Sends the visitor's messages: in order, each once by its uuid, and later if the server cannot be reached. */
export function createDelivery(core: Core, polling: Polling) {
  const { client, storage, tabs, options, person } = core;
  const { signal } = tabs;
  /** Messages of this tab on their way: tabs that write the queue at the same moment may replace each other's. */
  const own = new Map<string, Outgoing>();
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
  const isKnown = () => core.userToken() !== undefined || storage.get().visitor !== undefined;

  async function createVisitor(): Promise<void> {
    if (isKnown()) return;
    const { name, email, customData } = person.claims ?? {};
    const claims = {
      non_verified_name: name || null,
      email: email || null,
      non_verified_custom_data: customData ?? null,
    };
    const { token } = await client.createVisitor(claims);
    if (!isKnown()) storage.set({ visitor: token });
  }
  /** One tab creates the visitor of all. Without locks, the first one that is stored stays. */
  async function ensureVisitor(): Promise<void> {
    if (!isKnown()) await tabs.inTurn('visitor', createVisitor);
  }

  async function ensureSession(): Promise<string> {
    await ensureVisitor();
    const known = await polling.findSession();
    if (known) return known;
    const session = await client.createSession(options.sessionData ?? {});
    const first = storage.get().session;
    if (first) return first;
    storage.set({ session: session.id });
    core.set({ session });
    core.emit('session', session);
    return session.id;
  }

  /** Sends the first message, unless the chat has ended meanwhile: then it belongs to the next chat of the person. */
  async function sendFirst(message: Outgoing): Promise<void> {
    const session_id = await ensureSession();
    signal.throwIfAborted();
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
    finish(message.uuid, answer.success ? undefined : (answer.error?.message ?? ''));
    if (answer.session) core.set({ session: answer.session });
  }

  /** Ends the way of a message, in all tabs. */
  function finish(uuid: string, error?: string): void {
    remove(uuid);
    settle(uuid, error);
    tabs.tell({ kind: 'sent', uuid, error });
  }

  function settle(uuid: string, error: string | undefined): void {
    own.delete(uuid);
    if (error !== undefined) show(uuid, error);
  }

  const next = () => (signal.aborted ? undefined : (storage.get().queue[0] ?? own.values().next().value));

  async function flushAll(): Promise<void> {
    let mayRepeat = true;
    for (let message = next(); message; message = next()) {
      const { session } = storage.get();
      try {
        await sendFirst(message);
        failures = 0;
        mayRepeat = true;
        core.set({ isOffline: false });
        polling.soon();
      } catch (error) {
        const status = error instanceof Refused ? error.status : 0;
        if (status === 401 && mayRepeat) core.forget(error as Refused);
        else if (status === 404 && mayRepeat) core.forgetSession(session);
        else if (isPassing(error)) return later(error);
        else finish(message.uuid, (error as Error).message);
        mayRepeat = status !== 401 && status !== 404;
      }
    }
  }

  function later(error: unknown): void {
    if (signal.aborted) return;
    core.set({ isOffline: true });
    const wait = Math.max(backoffMs(failures++), error instanceof Refused ? error.retryAfterMs : 0);
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), wait);
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    return tabs.inTurn('send', flushAll);
  };
  const enqueue = (message: Outgoing): Promise<void> => {
    own.set(message.uuid, message);
    change([...storage.get().queue, message]);
    return flush();
  };
  addEventListener('online', () => void flush(), { signal });
  signal.addEventListener('abort', () => clearTimeout(timer));

  return {
    flush,
    send(text: string, files: Outgoing['files']): Promise<void> {
      const message = { uuid: crypto.randomUUID(), text, files, at: new Date().toISOString() };
      storage.begin();
      storage.set({ draft: '' });
      core.set({ outgoing: [...core.state().outgoing, message], error: undefined });
      return enqueue(message);
    },
    async retry(uuid: string): Promise<void> {
      const message = core.state().outgoing.find((one) => one.uuid === uuid);
      show(uuid);
      if (message) await enqueue({ ...message, error: undefined });
    },
    /** Notes that another tab has sent a message, or why it was refused. */
    settle,
    discard(uuid: string): void {
      own.delete(uuid);
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
        core.forget(error);
        if (signal.aborted) throw error;
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
