import type { Db } from '../../db/connect.ts';
import type { OrgPrincipal, PartnerPrincipal } from '../../keys/verifier.ts';
import type { Scope } from '../../schemas/scopes.ts';

export interface SessionTexts {
  /** Returns the session whose texts the answer has, or will have once it is complete. */
  sessionOf(request: never, answer: never): string | null;
  /** Returns what is left of the answer once the texts are redacted. */
  withoutTexts(answer: never): object;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The database, or the transaction of the stored answer if the request has an Idempotency-Key. */
    db: Db;
    /** The calling org. Set on every route with a resource's scope or `any`. */
    org: OrgPrincipal;
    /** The calling partner. Set on every route of scope `partner`. */
    partner: PartnerPrincipal;
    /** The query and the body as they were before validation, which drops unknown fields. */
    given: { query: unknown; body: unknown };
  }
  interface FastifyContextConfig {
    /**
     * Receives a body other than JSON and sets `request.body` to its description. An Idempotency-Key distinguishes
     * requests by that description. Returns a cleanup function, called when the request has been answered or has
     * failed.
     */
    receive?: (request: never) => Promise<() => Promise<void>>;
    /**
     * Calls third parties before the handler runs, and uses connections besides that of the request, outside its transaction:
     * what is slow must not block others.
     */
    prepare?: (request: never, reply: FastifyReply) => Promise<void>;
    /**
     * Adds to the handler's answer what follows from its effects, once they are committed: it may wait. Repeated requests
     * with an Idempotency-Key get the completed answer.
     */
    complete?: (request: never, answer: never) => Promise<object>;
    /** For an answer with texts of a session: they are stored apart for an Idempotency-Key, and go with a redaction. */
    sessionTexts?: SessionTexts;
    /** Repeating the request is harmless: an Idempotency-Key is ignored. */
    isRepeatable?: boolean;
    /** Unknown fields are ignored: the caller is another product. */
    takesUnknownFields?: boolean;
    /** The callers allowed on the route. Required on every route. */
    scope?: Scope;
    /**
     * What limits a public route: all requests of an address, those for help pages, those for files, only refused ones (for callers that are
     * servers with a token of their own), or nothing of this kind.
     */
    limitedBy?: 'address' | 'help' | 'files' | 'refusals' | 'nothing';
    /** Counts against the limit for streaming endpoints. */
    isStreaming?: boolean;
  }
}
