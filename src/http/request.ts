import type { Db } from '../db/connect.ts';
import type { OrgPrincipal, PartnerPrincipal } from '../keys/verifier.ts';
import type { Scope } from './scopes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The database, or the transaction that also keeps the answer when the request has an Idempotency-Key. */
    db: Db;
    /** The calling org. Set on every route whose scope is a resource's or `any`. */
    org: OrgPrincipal;
    /** The calling partner. Set on every route of scope `partner`. */
    partner: PartnerPrincipal;
  }
  interface FastifyContextConfig {
    /**
     * Takes in a body that is not JSON and sets what it says as `request.body`, by which an Idempotency-Key tells requests apart. Gives
     * what lets go of it again, which is called when the request has been answered or has failed.
     */
    receive?: (request: never) => Promise<() => Promise<void>>;
    /** Asks third parties before the handler runs, and so before a transaction is open: a slow one must hold up nobody. */
    prepare?: (request: never) => Promise<void>;
    /** Running twice does no harm: an Idempotency-Key changes nothing. */
    isRepeatable?: boolean;
    /** Who may call. Every route must say it. */
    scope?: Scope;
    /** Counts against the limit for streaming endpoints. */
    isStreaming?: boolean;
  }
}
