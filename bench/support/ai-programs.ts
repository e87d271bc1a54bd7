import type { Db } from '../../src/db/connect.ts';
import { waitUntilResponding } from '../../src/dev/http-probe.ts';
import { anyFreePort } from '../../src/dev/ports.ts';
import { issueOrgKey } from '../../src/keys/service.ts';
import { createTokens } from '../../src/keys/tokens.ts';
import type { Program } from './processes.ts';
import { seedOrg } from './seed.ts';
import type { Stack } from './stack.ts';

/** The model and the servers of actions are on this machine. */
export const WORKER_ENV = { EGRESS_ALLOW: '127.0.0.0/8', DEVELOPMENT: 'true' };

/** An org whose AI answers, behind the api. */
export interface AnsweringOrg {
  id: string;
  /** Throws if the status is not 2xx. */
  call<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Publishes settings of the AI. */
  publish(settings: object): Promise<void>;
  /** Opens a session, and returns its id. */
  openSession(): Promise<string>;
  /** Sends a message of the contact, without waiting for the answer. */
  ask(sessionId: string, text: string): Promise<void>;
}

export interface AiPrograms {
  worker: Program;
  newOrg(): Promise<AnsweringOrg>;
}

/** Starts the api and a worker on the stack. */
export async function startAiPrograms(stack: Stack, db: Db): Promise<AiPrograms> {
  const PORT = String(await anyFreePort());
  const url = `http://127.0.0.1:${PORT}`;
  const shared = { ...WORKER_ENV, PUBLIC_URL: url };
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: '1000000000' };
  await stack.start('api', { PORT, ...shared, ...limits });
  const worker = await stack.start('worker', shared);
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  const tokens = createTokens([stack.env.JWT_SECRET ?? '']);
  return {
    worker,
    async newOrg() {
      const id = await seedOrg(db, 0);
      const { api_key } = await issueOrgKey(db, tokens, id, { name: 'Bench' });
      return orgOf(id, url, api_key);
    },
  };
}

function orgOf(id: string, url: string, key: string): AnsweringOrg {
  const call = async (method: string, path: string, body?: unknown) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        prefer: 'wait=0',
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    id,
    call,
    async publish(settings) {
      await call('PATCH', '/autopilot/settings', settings);
      await call('POST', '/autopilot/settings/publish');
    },
    openSession: async () => (await call('POST', '/chat/sessions', { channel: { type: 'api' } })).id,
    ask: (sessionId, text) =>
      call('POST', `/chat/sessions/${sessionId}/send`, { sender: 'contact', message: { type: 'text', text } }),
  };
}
