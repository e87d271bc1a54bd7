import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { loggableText } from '../logging/loggable.rules.ts';

/** All attributes that leave the process. Temporal's interceptors add what a workflow was started with, titles included. */
const SHOWN = new Set([
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'server.address',
  'server.port',
  'switchboard.org_id',
  'switchboard.request_id',
  'switchboard.run_id',
  'temporalWorkflowId',
  'temporalActivityId',
  'run_id',
  'workflowId',
  'workflowType',
  'taskQueue',
  'attempt',
]);

/** Returns a span without what customers and third parties wrote: errors are shown as in the log. */
export function scrubbed(span: ReadableSpan): ReadableSpan {
  const { message, ...status } = span.status;
  return Object.create(span, {
    attributes: { value: shownOf(span.attributes) },
    events: {
      value: span.events.map(({ name, time, attributes }) => ({ name, time, attributes: exceptionOf(attributes) })),
    },
    status: { value: message === undefined ? status : { ...status, message: loggableText(message) } },
  });
}

const shownOf = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => SHOWN.has(name)));

function exceptionOf({ 'exception.type': type, 'exception.message': message }: Attributes = {}): Attributes {
  return {
    ...(typeof type === 'string' && { 'exception.type': type }),
    ...(typeof message === 'string' && { 'exception.message': loggableText(message) }),
  };
}
