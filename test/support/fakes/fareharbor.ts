import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

/**
 * What the next call gets in place of the true answer: a status, no answer at all, or the true one once `released` is
 * resolved.
 */
type Script = number | 'hang-up' | 'not-json' | { released: Promise<void> };

interface Availability {
  pk: number;
  item: number;
  start_at: string;
  capacity: number;
  rates: { pk: number; singular: string; total: number }[];
}

interface Company {
  shortname: string;
  name: string;
  items: { pk: number; name: string; description: string }[];
  availabilities: Availability[];
}

interface Booking {
  uuid: string;
  company: string;
  availability: number;
  contact: object;
  customers: { customer_type_rate: number }[];
}

export interface FakeFareHarbor {
  url: string;
  /** Every call so far. */
  calls: { path: string; appKey: string | undefined; userKey: string | undefined }[];
  companies: Company[];
  bookings: Booking[];
  /** Scripts the coming calls, one each. */
  next(...scripts: Script[]): void;
  close(): Promise<void>;
}

const Customer = z.strictObject({ customer_type_rate: z.int(), custom_field_values: z.array(z.unknown()).optional() });
const BookingRequest = z.strictObject({
  contact: z.strictObject({
    name: z.string().max(128),
    phone: z.string().max(32),
    email: z.string().max(256),
  }),
  customers: z.array(Customer).min(1),
  custom_field_values: z.array(z.unknown()).optional(),
  note: z.string().optional(),
  voucher_number: z.string().max(128).optional(),
  lodging: z.int().optional(),
});

const seaTours = (): Company => ({
  shortname: 'seatours',
  name: 'Sea Tours',
  items: [{ pk: 1867, name: 'Jet Ski Tour', description: 'See the coast from a jet ski.' }],
  availabilities: [
    {
      pk: 4786,
      item: 1867,
      start_at: '2027-06-22T11:30:00-1000',
      capacity: 3,
      rates: [{ pk: 65675, singular: 'Adult', total: 20_000 }],
    },
  ],
});

interface Answer {
  status: number;
  body: object;
}

const refuse = (status: number, code: string, error: string): Answer => ({ status, body: { code, error, status } });

/**
 * FareHarbor's External API, version 1, over real HTTP: companies, items, availabilities and bookings, with its keys, its
 * errors and its strict check of bookings. User keys that begin with `good` are accepted.
 */
export async function startFakeFareHarbor(): Promise<FakeFareHarbor> {
  const calls: FakeFareHarbor['calls'] = [];
  const scripts: Script[] = [];
  const companies = [seaTours()];
  const bookings: Booking[] = [];

  const truthOf = (request: IncomingMessage, body: Buffer): Answer => {
    const refusal = refusalOfKeys(request);
    if (refusal !== undefined) return refusal;
    const [, rest] = /^\/api\/external\/v1\/companies\/(.*)$/.exec(request.url ?? '') ?? [];
    if (rest === undefined || (rest !== '' && !rest.endsWith('/'))) return refuse(404, 'not-found', 'no such endpoint');
    if (rest === '')
      return { status: 200, body: { companies: companies.map(({ name, shortname }) => ({ name, shortname })) } };
    const [shortname = '', ...path] = rest.split('/').slice(0, -1);
    const company = companies.find((one) => one.shortname === shortname);
    if (company === undefined)
      return refuse(404, 'company-shortname-invalid', `${shortname} is not a valid company shortname`);
    return answerOf(company, {
      method: request.method ?? '',
      path: path.join('/'),
      type: request.headers['content-type'],
      body,
    });
  };

  const answerOf = (
    company: Company,
    { method, path, type, body }: { method: string; path: string; type: string | undefined; body: Buffer },
  ): Answer => {
    const is = (wanted: string, pattern: RegExp) => (method === wanted ? pattern.exec(path) : null);
    if (is('GET', /^items$/)) return { status: 200, body: { items: company.items } };
    const range = is(
      'GET',
      /^items\/(\d+)\/minimal\/availabilities\/date-range\/(\d{4}-\d\d-\d\d)\/(\d{4}-\d\d-\d\d)$/,
    );
    if (range) return availabilitiesOf(company, Number(range[1]), { from: range[2] ?? '', to: range[3] ?? '' });
    const one = is('GET', /^availabilities\/(\d+)$/);
    if (one) return availabilityOf(company, Number(one[1]));
    const booked = is('GET', /^bookings\/([0-9a-f-]{36})$/);
    if (booked) return bookingOf(company, booked[1] ?? '');
    const made = is('POST', /^availabilities\/(\d+)\/bookings$/);
    return made ? book(company, Number(made[1]), { type, body }) : refuse(404, 'not-found', 'no such endpoint');
  };

  const book = (company: Company, pk: number, { type, body }: { type: string | undefined; body: Buffer }): Answer => {
    const availability = company.availabilities.find((one) => one.pk === pk);
    if (availability === undefined)
      return refuse(404, 'availability-pk-invalid', `${pk} is not a valid availability pk`);
    if (type !== 'application/json') return refuse(400, 'content-type-invalid-error', 'Invalid content-type');
    const { success, data, error } = BookingRequest.safeParse(JSON.parse(body.toString()));
    if (!success) return refuse(400, 'book-data-validation-error', `Validation error: ${error.issues[0]?.message}`);
    const unknown = data.customers.find(
      ({ customer_type_rate: rate }) => !availability.rates.some((one) => one.pk === rate),
    );
    if (unknown !== undefined)
      return refuse(
        400,
        'customer-type-rates-invalid',
        `${unknown.customer_type_rate} is invalid for availability ${pk}`,
      );
    if (data.customers.length > availability.capacity)
      return refuse(400, 'bookability-error', 'Unable to create booking: Full for all customer types');
    availability.capacity -= data.customers.length;
    const { contact, customers } = data;
    const booking = { uuid: crypto.randomUUID(), company: company.shortname, availability: pk, contact, customers };
    bookings.push(booking);
    return bookingOf(company, booking.uuid);
  };

  const bookingOf = (company: Company, uuid: string): Answer => {
    const booking = bookings.find((one) => one.uuid === uuid && one.company === company.shortname);
    if (booking === undefined) return refuse(404, 'booking-uuid-invalid', `${uuid} is not a valid booking uuid`);
    const { contact, customers } = booking;
    return { status: 200, body: { booking: { uuid, status: 'booked', contact, customer_count: customers.length } } };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const { appKey, userKey } = keysOf(request);
    calls.push({ path: request.url ?? '', appKey, userKey });
    const script = scripts.shift();
    if (script === 'hang-up') return request.socket.destroy();
    if (typeof script === 'object') await script.released;
    const isTrue = script === undefined || typeof script === 'object';
    const truth = isTrue ? truthOf(request, body) : undefined;
    const status = truth?.status ?? (script === 'not-json' ? 200 : (script as number));
    response.writeHead(status, { 'content-type': 'application/json' });
    if (script === 'not-json') return response.end('<html>maintenance</html>');
    return response.end(JSON.stringify(truth?.body ?? { error: 'no' }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    companies,
    bookings,
    next: (...more) => void scripts.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const keysOf = ({ headers }: IncomingMessage) => ({
  appKey: headers['x-fareharbor-api-app'] as string | undefined,
  userKey: headers['x-fareharbor-api-user'] as string | undefined,
});

function refusalOfKeys(request: IncomingMessage): Answer | undefined {
  const { appKey, userKey } = keysOf(request);
  if (!appKey || !userKey) return refuse(400, 'key-missing', 'X-FareHarbor-API-App/X-FareHarbor-API-User is required');
  return userKey.startsWith('good') ? undefined : refuse(403, 'user-key-invalid', `API user key ${userKey} is invalid`);
}

const shownRates = ({ rates }: Availability) =>
  rates.map(({ pk, singular, total }) => ({ pk, total, customer_type: { singular } }));

function availabilitiesOf(
  { items, availabilities }: Company,
  item: number,
  { from, to }: { from: string; to: string },
): Answer {
  if (!items.some(({ pk }) => pk === item)) return refuse(404, 'item-pk-invalid', `${item} is not a valid item pk`);
  if (to < from) return refuse(400, 'availability-date-range-invalid', `Please specify an end date after ${from}`);
  const found = availabilities.filter(
    (one) => one.item === item && one.start_at.slice(0, 10) >= from && one.start_at.slice(0, 10) <= to,
  );
  return {
    status: 200,
    body: {
      availabilities: found.map((one) => ({
        pk: one.pk,
        start_at: one.start_at,
        capacity: one.capacity,
        customer_type_rates: shownRates(one),
      })),
    },
  };
}

function availabilityOf({ availabilities }: Company, pk: number): Answer {
  const one = availabilities.find((known) => known.pk === pk);
  if (one === undefined) return refuse(404, 'availability-pk-invalid', `${pk} is not a valid availability pk`);
  const { start_at, capacity } = one;
  return {
    status: 200,
    body: {
      availability: { pk, start_at, capacity, customer_type_rates: shownRates(one), custom_field_instances: [] },
    },
  };
}
