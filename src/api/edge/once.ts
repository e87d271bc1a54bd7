import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { IfRefused } from './idempotency.ts';

type RequestOf<Schema extends FastifySchema> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  RawRequestDefaultExpression,
  Schema,
  ZodTypeProvider
>;

/** The answer of a route that has done its work, by its schema. */
type AnswerOf<Schema> = Schema extends { response: infer Response }
  ? { [Status in keyof Response & (200 | 201 | 202)]: z.output<Response[Status]> }[keyof Response & (200 | 201 | 202)]
  : unknown;

/** Texts of a session in an answer. They are stored apart for an Idempotency-Key, and go with a redaction. */
interface SessionTexts<Request, Answer> {
  /** Returns the session whose texts the answer has, or will have once it is complete. */
  sessionOf(request: Request, answer: Answer): string | null;
  /** Returns what is left of the answer once the texts are redacted. */
  withoutTexts(answer: Answer): Answer;
}

/** The stages of a route, in their order. Each gets what the one before it returned. */
interface Stages<Schema extends FastifySchema, Received, Prepared, Acted extends { answer: AnswerOf<Schema> }> {
  /**
   * Receives a body other than JSON, and sets `request.body` to its description. An Idempotency-Key distinguishes requests
   * by that description. What it returns is disposed of when the request has been answered or has failed.
   */
  receive?(request: RequestOf<Schema>): Promise<Received>;
  /**
   * Calls third parties, and uses connections besides that of the request, outside its transaction: what is slow must not
   * block others. `ifRefused` takes what undoes the preparation. It is called if `act` is refused or fails.
   */
  prepare?(
    request: RequestOf<Schema>,
    context: { received: Received; reply: FastifyReply; ifRefused: IfRefused },
  ): Promise<Prepared>;
  /**
   * Does the work. With an Idempotency-Key, the answer is stored in the transaction of the work. `complete` gets the
   * answer with what else is returned here.
   */
  act(request: RequestOf<Schema>, context: { prepared: Prepared; reply: FastifyReply }): Promise<Acted>;
  /**
   * Adds to the answer what follows from the effects, once they are committed: it may wait. Repeated requests with an
   * Idempotency-Key get the completed answer.
   */
  complete?(request: RequestOf<Schema>, context: { acted: Acted }): Promise<AnswerOf<Schema>>;
  /** For an answer with texts of a session. */
  redact?: SessionTexts<RequestOf<Schema>, AnswerOf<Schema>>;
}

interface OnceOptions<Schema extends FastifySchema> {
  config: FastifyContextConfig;
  bodyLimit?: number;
  schema: Schema;
}

/** What Fastify takes for a route of this schema. */
interface Route<Schema extends FastifySchema> extends OnceOptions<Schema> {
  handler(request: RequestOf<Schema>, reply: FastifyReply): Promise<AnswerOf<Schema>>;
}

/**
 * Returns a route that works in stages, all of them once for an Idempotency-Key. A repeated request gets the stored answer,
 * and only its body is received.
 */
export function once<
  const Schema extends FastifySchema,
  Acted extends { answer: AnswerOf<Schema> },
  Received extends AsyncDisposable | undefined = undefined,
  Prepared = undefined,
>({
  config,
  receive,
  prepare,
  act,
  complete,
  redact,
  ...options
}: OnceOptions<Schema> & Stages<Schema, Received, Prepared, Acted>): Route<Schema> {
  const handler = async (request: RequestOf<Schema>, reply: FastifyReply) => {
    await using received = (await receive?.(request)) as Received; // undefined where nothing is received
    return await request.server.answerOnce(request, reply, {
      prepare: async (ifRefused) => (await prepare?.(request, { received, reply, ifRefused })) as Prepared,
      act: (prepared) => act(request, { prepared, reply }),
      complete: complete && ((acted) => complete(request, { acted })),
      redact: redact && {
        sessionOf: (answer) => redact.sessionOf(request, answer),
        withoutTexts: redact.withoutTexts,
      },
    });
  };
  return { ...options, config: { ...config, isInStages: true }, handler };
}
