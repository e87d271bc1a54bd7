import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const RECONNECT_MS = 500;

export interface Listener {
  close(): Promise<void>;
}

/**
 * Calls `onNotify` for each NOTIFY on the channel, and once after each (re)connection, as notifications may have been
 * lost before it. Notifications are hints: callers must also poll from time to time.
 */
export function listen(url: string, channel: string, onNotify: (payload: string) => void): Listener {
  let closed = false;
  let client: pg.Client | undefined;

  const startListening = async (connecting: pg.Client) => {
    await connecting.connect();
    await connecting.query(`listen ${pg.escapeIdentifier(channel)}`);
    onNotify('');
  };
  const run = async () => {
    while (!closed) {
      client = new pg.Client({ connectionString: url, application_name: 'switchboard-listen', keepAlive: true });
      const ended = new Promise<void>((resolve) => {
        client?.once('end', resolve);
        client?.on('error', () => resolve());
      });
      client.on('notification', ({ payload }) => onNotify(payload ?? ''));
      try {
        // A client of pg 8.23 that is ended while it connects leaves its promise open.
        await Promise.race([startListening(client), ended]);
        await ended;
      } catch {
        // the database is unavailable; the loop tries again below
      }
      await client.end().catch(() => undefined);
      if (!closed) await sleep(RECONNECT_MS);
    }
  };
  const running = run();

  return {
    async close() {
      closed = true;
      await client?.end().catch(() => undefined);
      await running;
    },
  };
}
