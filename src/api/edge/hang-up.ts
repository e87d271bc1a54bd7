import type { FastifyReply } from 'fastify';

/** Returns a signal of the client's hang-up: nobody reads the answer then. */
export function signalOfHangUp({ raw }: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  raw.once('close', () => hangUp.abort());
  return hangUp.signal;
}
