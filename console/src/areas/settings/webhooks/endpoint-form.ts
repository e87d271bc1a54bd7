import type { Schemas } from '../../../api/client';
import { headersIn, type Specs, type Written } from '../../../ui/forms/spec';
import { EVENT_TYPES } from './words';

type EventType = Schemas['WebhookEventType'];

/** The fields of an endpoint. Events are chosen beside them. */
export const ENDPOINT_SPECS: Specs = {
  url: {
    kind: 'text',
    type: 'url',
    label: 'Address',
    isRequired: true,
    maxLength: 2048,
    placeholder: 'https://example.com/webhooks',
  },
  description: { kind: 'text', label: 'What it is for', maxLength: 500 },
  payload: {
    kind: 'choice',
    label: 'What is sent',
    options: [
      ['full', 'All of the event'],
      ['thin', 'Ids alone, which it asks the API about'],
    ],
  },
  max_per_second: { kind: 'number', label: 'At most a second', min: 1, max: 1_000, hint: 'Empty: no limit.' },
  ordered: {
    kind: 'check',
    label: 'In order',
    hint: 'The next event of a conversation waits until the one before was accepted.',
  },
  headers: {
    kind: 'lines',
    label: 'Headers, one a line: Authorization: Bearer …',
    hint: 'Values are stored encrypted and shown as ***, which keeps them.',
  },
};

/** Returns an endpoint as its form shows it. */
export const shownEndpoint = (endpoint: Schemas['WebhookEndpoint']) => ({
  ...endpoint,
  headers: Object.entries(endpoint.headers).map(([name, value]) => `${name}: ${value}`),
});

/** Returns what was written as the API takes it. */
export function endpointIn(written: Written, eventTypes: string[]) {
  const text = (name: string) => String(written[name] ?? '').trim();
  return {
    url: text('url'),
    description: text('description') || null,
    payload: text('payload') === 'thin' ? ('thin' as const) : ('full' as const),
    max_per_second: text('max_per_second') === '' ? null : Number(text('max_per_second')),
    ordered: written.ordered === true,
    headers: headersIn(String(written.headers ?? '')),
    event_types: EVENT_TYPES.filter((type): type is EventType => eventTypes.includes(type)),
  };
}
