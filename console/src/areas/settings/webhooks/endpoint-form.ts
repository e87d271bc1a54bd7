import type { Schemas } from '../../../api/client';
import { headersIn, type Specs, valuesIn, type Written } from '../../../ui/forms/spec';

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

/** Returns what was changed as the API takes it. Events are chosen beside the fields: none of them means all. */
export function endpointIn(changes: Written, eventTypes: string[] | undefined) {
  const { headers, payload, ...values } = valuesIn(ENDPOINT_SPECS, changes, {
    isNullable: true,
  });
  return {
    ...values,
    ...(payload !== undefined && { payload: payload === 'thin' ? ('thin' as const) : ('full' as const) }),
    ...(headers !== undefined && { headers: headersIn(String(changes.headers)) }),
    ...(eventTypes !== undefined && { event_types: eventTypes as Schemas['WebhookEventType'][] }),
  };
}
