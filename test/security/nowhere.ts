import type { Egress } from '../../src/providers/egress/egress.ts';

/** Replaces the egress: every third party answers 404. */
export const NOWHERE: Egress = {
  request: async (url) => ({ status: 404, headers: {}, body: '{}', url }),
  download: async (url) => ({ status: 404, headers: {}, bytes: Buffer.alloc(0), url }),
  resolve: async () => '127.0.0.1',
  close: async () => undefined,
};
