import type { Db } from '../../db/connect.ts';
import type { OrgPrincipal, PartnerPrincipal } from '../../keys/verifier.ts';
import type { OperatorPrincipal } from '../../operations/operator/access.service.ts';
import type { Scope } from '../../schemas/scopes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The database, or the transaction of the stored answer if the request has an Idempotency-Key. */
    db: Db;
    /** The calling org. Set on every route with a resource's scope or `any`. */
    org: OrgPrincipal;
    /** The calling partner. Set on every route of scope `partner`. */
    partner: PartnerPrincipal;
    /** Who runs the installation. Set on every route of scope `operator`. */
    operator: OperatorPrincipal;
    /** The query and the body as they were before validation, which drops unknown fields. */
    given: { query: unknown; body: unknown };
  }
  interface FastifyContextConfig {
    /** Set by `once`: the handler answers by its stages. */
    isInStages?: boolean;
    /** Repeating the request is harmless: an Idempotency-Key is ignored. */
    isRepeatable?: boolean;
    /** The member of the body in which an answer to GET of the same path is sent back. Absent: the body itself. */
    readIn?: string;
    /** False: what GET answers above the path of a command is not what the command updates. */
    hasRepresentation?: false;
    /** Unknown fields are ignored: the caller is another product. */
    takesUnknownFields?: boolean;
    /** The callers allowed on the route. Required on every route. */
    scope?: Scope;
    /** The scope that a member needs in place of `scope`, where an operation is not for all whose keys may do it. */
    memberScope?: Scope;
    /**
     * What limits a public route: all requests of an address, those for help pages, those for files, only refused ones (for callers that are
     * servers with a token of their own), or nothing of this kind.
     */
    limitedBy?: 'address' | 'help' | 'files' | 'refusals' | 'nothing';
    /** Changes what the org has set up, although its scope is one of every day. The audit names who did. */
    isSetUp?: boolean;
    /** Counts against the limit for streaming endpoints. */
    isStreaming?: boolean;
  }
}
