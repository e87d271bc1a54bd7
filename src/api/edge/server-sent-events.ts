import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { DomainError, TooManyRequests } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import type { Deps } from '../deps.ts';
import { authenticateOrg } from './authenticate.ts';

const TICK_MS = 1_000;
const KEY_CHECK_MS = 5_000;
const MAX_STREAMS_PER_KEY = 100;
const MAX_STREAMS_PER_MEMBER = 10;
const MAX_STREAMS_PER_ORG = 500;
const RETRY_AFTER_SECONDS = 5;
/** A client that reads nothing for this time is disconnected. It can reconnect with its Last-Event-ID. */
const MAX_STALL_MS = 60_000;
/** Time for a client to receive the end of the stream. */
const CLOSE_TIMEOUT_MS = 1_000;
const RETRY_MS = 2_000;
const BUFFER_BYTES = 16 * 1024;
const COMMENT = Buffer.from(':\n\n');
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no', // otherwise nginx would buffer events
};

interface Sink {
  write(bytes: Buffer): boolean;
  end(): void;
}

interface Feed {
  /** Called when the sink, once full, accepts writes again. */
  resume(): void;
  stop(): void;
}

type StartFeed = (sink: Sink) => Feed;

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Answers with server-sent events (WHATWG HTML) written by the feed, until the client disconnects, its key or
     * session ends, or the api closes. Throws a 429 if the key, the member or the org has too many streams open.
     */
    streamEvents(feeding: StartFeed): FastifyReply;
  }
}

interface OpenStream extends Sink {
  tick(now: number): void;
  /** Ends the stream if its client is no longer authorized. */
  check(): void;
}

/**
 * Keeps streams of server-sent events open. @fastify/sse is not used: its `send` never settles if a client disconnects
 * while its socket is full, and its heartbeats go into a full socket.
 */
export const serverSentEvents = fastifyPlugin(async (app: FastifyInstance, deps: Deps) => {
  const { keys, heartbeatMs } = deps;
  const streams = new Set<OpenStream>();
  const counts = createStreamCounts();
  let isClosing = false;

  app.decorateReply('streamEvents', function (this: FastifyReply, feeding: StartFeed) {
    const release = counts.reserve(this.request.org);
    if (release === undefined) throw tooManyStreams();
    this.headers(HEADERS);
    if (this.request.method === 'HEAD') {
      release();
      return this.send('');
    }
    const isAllowed = () =>
      authenticateOrg(deps, this.request, false).then(
        () => true,
        (error) => !(error instanceof DomainError),
      );
    const onClose = () => {
      if (streams.delete(stream)) release();
    };
    const stream = openStream(this, feeding, { heartbeatMs, isAllowed, onClose });
    streams.add(stream);
    if (isClosing) stream.end();
    return this;
  });

  const ticking = setInterval(() => {
    const now = Date.now();
    for (const stream of streams) stream.tick(now);
  }, TICK_MS).unref();
  let ignoreKeys = (): void => undefined;
  // Not at registration: an app that only writes its OpenAPI document has no keys.
  app.addHook('onListen', async () => {
    ignoreKeys = keys.onCleared(() => {
      for (const stream of streams) stream.check();
    });
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    clearInterval(ticking);
    ignoreKeys();
    for (const stream of streams) stream.end();
  });
});

/** Creates the numbers of open streams by key and org. */
function createStreamCounts() {
  const counts = new Map<string, number>();
  const add = (owner: string, by: number) => {
    const count = (counts.get(owner) ?? 0) + by;
    if (count === 0) counts.delete(owner);
    else counts.set(owner, count);
  };

  return {
    /** Counts a stream. Returns the function that ends this, or undefined if the key or its org has too many open. */
    reserve({ id: orgId, keyId, member }: OrgPrincipal): (() => void) | undefined {
      const ofCaller =
        member === undefined
          ? { [`key ${keyId}`]: MAX_STREAMS_PER_KEY }
          : { [`member ${orgId} ${member.id}`]: MAX_STREAMS_PER_MEMBER };
      const limits: Record<string, number> = { ...ofCaller, [`org ${orgId}`]: MAX_STREAMS_PER_ORG };
      if (Object.entries(limits).some(([owner, limit]) => (counts.get(owner) ?? 0) >= limit)) return undefined;
      const owners = Object.keys(limits);
      for (const owner of owners) add(owner, 1);
      return () => {
        for (const owner of owners) add(owner, -1);
      };
    },
  };
}

const tooManyStreams = () =>
  new TooManyRequests(
    `At most ${MAX_STREAMS_PER_KEY} streams of a key, ${MAX_STREAMS_PER_MEMBER} of a member and ${MAX_STREAMS_PER_ORG} of an org can be open: close one, or follow all sessions in one stream`,
    RETRY_AFTER_SECONDS,
    { code: 'too_many_at_once', limit: 'streams' },
  );

interface StreamOptions {
  heartbeatMs: number;
  /** Whether the client is still authorized. */
  isAllowed(): Promise<boolean>;
  onClose(): void;
}

function openStream(
  reply: FastifyReply,
  feeding: StartFeed,
  { heartbeatMs, isAllowed, onClose }: StreamOptions,
): OpenStream {
  let fullSince: number | undefined;
  let writtenAt = Date.now();
  let isEnded = false;
  let checkAt = writtenAt + KEY_CHECK_MS;
  const leave = () => {
    isEnded = true;
    feed.stop();
    onClose();
  };
  const readable = new Readable({
    highWaterMark: BUFFER_BYTES,
    read() {
      if (fullSince === undefined) return;
      fullSince = undefined;
      feed.resume();
    },
    destroy(error, done) {
      leave();
      done(error);
    },
  });

  const stream: OpenStream = {
    write(bytes) {
      writtenAt = Date.now();
      if (readable.push(bytes)) return true;
      fullSince ??= writtenAt;
      return false;
    },
    end() {
      if (isEnded) return;
      leave();
      readable.push(null);
      setTimeout(() => reply.raw.destroy(), CLOSE_TIMEOUT_MS).unref(); // a client that reads nothing would not read the end either
    },
    tick(now) {
      if (fullSince !== undefined) {
        if (now - fullSince > MAX_STALL_MS) reply.raw.destroy();
      } else if (now - writtenAt >= heartbeatMs) stream.write(COMMENT);
      if (now >= checkAt) stream.check();
    },
    check() {
      checkAt = Date.now() + KEY_CHECK_MS;
      void isAllowed().then((isStill) => (isStill ? undefined : stream.end()));
    },
  };
  stream.write(Buffer.from(`retry: ${RETRY_MS}\n\n`));
  const feed = feeding(stream);
  reply.send(readable);
  return stream;
}
