import { connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

const PERMISSION_DENIED = '7';
/** The flag of headers that nothing follows (RFC 9113, 6.2). */
const END_STREAM = 1;

/**
 * Passes gRPC calls on to a Temporal server. `refuses` says of each call, by its method, whether it is refused instead.
 */
export async function startTemporalProxy(address: string, refuses: (method: string) => boolean) {
  const upstream = connect(`http://${address}`);
  const refuse = (stream: ServerHttp2Stream) => {
    const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': PERMISSION_DENIED };
    stream.respond({ ...headers, 'grpc-message': 'not now' }, { endStream: true });
  };
  const pass = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const call = upstream.request({ ...headers, ':authority': address });
    stream.pipe(call);
    call.on('response', (answer, flags) => {
      if (stream.destroyed) return;
      if (flags & END_STREAM) return stream.respond(answer, { endStream: true }); // an error, with its status in the headers
      stream.respond(answer, { waitForTrailers: true });
      call.pipe(stream);
    });
    let trailers = {};
    call.on('trailers', (received) => {
      trailers = received;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.on('close', () => call.close());
    for (const either of [stream, call]) either.on('error', () => undefined);
  };
  const server = createServer();
  server.on('stream', (stream, headers) => {
    const method = headers[':path']?.split('/').at(-1) ?? '';
    if (refuses(method)) refuse(stream);
    else pass(stream, headers);
  });
  server.on('sessionError', () => undefined);
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => void sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      server.close();
    },
  };
}
