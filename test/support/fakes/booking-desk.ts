import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Booking = z.object({ order: z.string() });

export type BookingDesk = Awaited<ReturnType<typeof startBookingDesk>>;

/**
 * A server of bookings that counts. `/reserve` does what an Idempotency-Key asks for once, `/book` knows no keys.
 * `reach` is awaited before a booking is made, and between the booking and its answer.
 */
export async function startBookingDesk(reach: (point: 'before the effect' | 'after the effect') => Promise<void>) {
  /** The orders that were booked, one entry for each effect. */
  const effects: string[] = [];
  const seen = new Map<string, string>();

  const book = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { order } = Booking.parse(JSON.parse(text));
    const key = String(request.headers['idempotency-key']);
    await reach('before the effect');
    const isKnown = request.url === '/reserve' && seen.has(key);
    if (!isKnown) effects.push(order);
    seen.set(key, order);
    await reach('after the effect');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ order, booking: 4711 }));
  };
  const server = createServer((request, response) => void book(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
