import { operationIdOf } from '../definitions/operation-ids.rules.ts';
import type { ActionPayload, CreateAction, OperationParameter } from '../definitions/schema.ts';

/** A connection as its operations need it. */
interface BookableConnection {
  name: string;
  default_company_shortname?: string | undefined;
}

/** An operation of a connection, before it has an operation id that is free in its org. */
interface ConnectionOperation {
  /** The same for the same operation of all connections. */
  operation: string;
  wantedId: string;
  name: string;
  description: string;
  api_endpoint: string;
  request_type: 'GET' | 'POST';
  payload: ActionPayload;
  confirm: CreateAction['confirm'];
}

interface Template {
  operation: string;
  title: string;
  description: string;
  /** Below the list of companies. */
  path: string;
  request_type: 'GET' | 'POST';
  parameters?: OperationParameter[];
  requestBody?: ActionPayload['requestBody'];
}

const MAX_ID_OF_NAME = 24;
const API_PATH = '/api/external/v1/companies/';

const inPath = (name: string, description: string, schema: object): OperationParameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { ...schema },
});

const INTEGER = { type: 'integer', minimum: 1 };
const DATE = { type: 'string', format: 'date' };
const AVAILABILITY = inPath('availability_pk', 'The pk of the availability.', INTEGER);
const CUSTOM_FIELD_VALUES = {
  type: 'array',
  description: 'Answers to the custom fields of the availability.',
  items: {
    type: 'object',
    properties: { custom_field: INTEGER, value: { type: 'string' } },
    required: ['custom_field', 'value'],
    additionalProperties: false,
  },
};
/** FareHarbor refuses other properties. */
const BOOKING = {
  type: 'object',
  required: ['contact', 'customers'],
  additionalProperties: false,
  properties: {
    contact: {
      type: 'object',
      required: ['name', 'phone', 'email'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', maxLength: 128 },
        phone: { type: 'string', maxLength: 32, description: 'With + and the country code.' },
        email: { type: 'string', maxLength: 256, format: 'email' },
      },
    },
    customers: {
      type: 'array',
      minItems: 1,
      description: 'One entry for each person.',
      items: {
        type: 'object',
        required: ['customer_type_rate'],
        additionalProperties: false,
        properties: {
          customer_type_rate: { ...INTEGER, description: 'The pk of a customer_type_rate of the availability.' },
          custom_field_values: CUSTOM_FIELD_VALUES,
        },
      },
    },
    custom_field_values: CUSTOM_FIELD_VALUES,
    note: { type: 'string' },
    voucher_number: { type: 'string', maxLength: 128, description: 'Only where FareHarbor asks for one.' },
    lodging: { ...INTEGER, description: 'The pk of the lodging to be picked up from.' },
  },
};

const TEMPLATES: Template[] = [
  {
    operation: 'listCompanies',
    title: 'list companies',
    description: 'Lists the companies whose tours can be booked, with their shortnames.',
    path: '',
    request_type: 'GET',
  },
  {
    operation: 'listItems',
    title: 'list tours',
    description:
      'Lists the items of a company: tours, activities, trips and rentals, with description, place, prices and cancellation policy. Each has a pk.',
    path: '{shortname}/items/',
    request_type: 'GET',
  },
  {
    operation: 'listAvailabilities',
    title: 'list availabilities',
    description:
      'Lists when an item can be booked from one date to another, with the places left (capacity) and the customer types. Each availability has a pk.',
    path: '{shortname}/items/{item_pk}/minimal/availabilities/date-range/{start_date}/{end_date}/',
    request_type: 'GET',
    parameters: [
      inPath('item_pk', 'The pk of the item.', INTEGER),
      inPath('start_date', 'The first day.', DATE),
      inPath('end_date', 'The last day.', DATE),
    ],
  },
  {
    operation: 'getAvailability',
    title: 'get an availability',
    description:
      'Returns one availability with the pk and price of each customer type rate, in the smallest unit of the currency, and the custom fields that a booking has to answer.',
    path: '{shortname}/availabilities/{availability_pk}/',
    request_type: 'GET',
    parameters: [AVAILABILITY],
  },
  {
    operation: 'createBooking',
    title: 'book',
    description:
      'Books places of an availability for a customer: reserves tickets of a tour, trip or activity. Needs the name, phone and e-mail of the customer.',
    path: '{shortname}/availabilities/{availability_pk}/bookings/',
    request_type: 'POST',
    parameters: [AVAILABILITY],
    requestBody: { required: true, content: { 'application/json': { schema: BOOKING } } },
  },
  {
    operation: 'getBooking',
    title: 'get a booking',
    description: 'Returns a booking by its uuid: its time, people, status, and whether it can be cancelled.',
    path: '{shortname}/bookings/{booking_uuid}/',
    request_type: 'GET',
    parameters: [inPath('booking_uuid', 'The uuid of the booking.', { type: 'string', format: 'uuid' })],
  },
];

/**
 * Returns the operations of FareHarbor's External API, version 1, that the AI can use through a connection. Booking asks
 * for a confirmation, reading does not.
 */
export function operationsOf(connection: BookableConnection, baseUrl: string): ConnectionOperation[] {
  const base_url = `${baseUrl}${API_PATH}`;
  const { name } = connection;
  const slug = operationIdOf(name).slice(0, MAX_ID_OF_NAME);
  return TEMPLATES.map(({ operation, title, description, path, request_type, parameters = [], requestBody }) => ({
    operation,
    wantedId: `fareharbor_${slug}_${operationIdOf(title)}`,
    name: `FareHarbor ${name}: ${title}`.slice(0, 255),
    description: `${description} Through the FareHarbor connection "${name}".`,
    api_endpoint: base_url + path,
    request_type,
    payload: {
      base_url,
      path,
      operationId: operation,
      parameters: [...(path.includes('{shortname}') ? [shortnameOf(connection)] : []), ...parameters],
      ...(requestBody !== undefined && { requestBody }),
    },
    confirm: request_type === 'GET' ? 'auto' : 'always',
  }));
}

function shortnameOf({ default_company_shortname: usual }: BookableConnection): OperationParameter {
  const schema = { type: 'string', ...(usual !== undefined && { default: usual }) };
  const otherwise = usual === undefined ? '' : ` ${usual} if absent.`;
  return inPath('shortname', `The shortname of the company.${otherwise}`, schema);
}
