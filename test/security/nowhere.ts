import { type Egress, EgressError } from '../../src/providers/egress/egress.ts';

/** Replaces the egress: every third party answers 404 by HTTP, and accepts no other connection. */
export const NOWHERE: Egress = {
  request: async (url) => ({ status: 404, headers: {}, body: '{}', url }),
  download: async (url) => ({ status: 404, headers: {}, bytes: Buffer.alloc(0), url }),
  fetch: async () => new Response('{}', { status: 404 }),
  resolve: async () => '127.0.0.1',
  connect: () => Promise.reject(new EgressError('Nobody answers', { transient: true, mayHaveArrived: false })),
  close: async () => undefined,
};
