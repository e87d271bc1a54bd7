import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Line {
  /** The address of the server as browsers see it. */
  url: string;
  /** Leads to this port from now on. */
  leadTo(port: number): void;
  /** How many streams of events are open. */
  streams(): number;
  /**
   * Lets each stream fall silent without an end, as a network does that goes away while a laptop sleeps. Other
   * connections end, and new ones are refused.
   */
  sleep(): void;
  /** Takes new connections again. The streams of before stay silent. */
  wake(): void;
  close(): void;
}

interface Connection {
  client: Socket;
  server: Socket;
  isStream: boolean;
}

/** Starts a line between browsers and a server, which can go dead. */
export async function startLine(): Promise<Line> {
  const connections = new Set<Connection>();
  let port: number | undefined;
  let isAsleep = false;
  const listener = createServer((client) => {
    if (isAsleep || port === undefined) return client.destroy();
    const server = connect(port, '127.0.0.1');
    const connection: Connection = { client, server, isStream: false };
    connections.add(connection);
    client.on('data', (bytes) => {
      const [, path] = /^[A-Z]+ (\S+) HTTP/.exec(bytes.toString('latin1')) ?? [];
      if (path !== undefined) connection.isStream = path.startsWith('/events');
    });
    client.pipe(server).pipe(client);
    const end = () => {
      connections.delete(connection);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    return undefined;
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    leadTo: (to) => {
      port = to;
    },
    streams: () => [...connections].filter(({ isStream }) => isStream).length,
    sleep() {
      isAsleep = true;
      for (const connection of connections) {
        const { client, server, isStream } = connection;
        if (!isStream) {
          client.destroy();
          continue;
        }
        connections.delete(connection);
        server.unpipe(client);
        client.unpipe(server);
        server.removeAllListeners('close').destroy();
      }
    },
    wake: () => {
      isAsleep = false;
    },
    close() {
      listener.close();
      for (const { client } of connections) client.destroy();
    },
  };
}
