export type * from '../generated/types.gen.ts';
export { Switchboard, type SwitchboardOptions } from './client.ts';
export { type ErrorCode, SwitchboardError } from './errors.ts';
export { type EventOptions, type EventPageOptions, eventPages, liveEvents, type StreamedEvent } from './events.ts';
export { itemsOf } from './pages.ts';
export type { RetryOptions } from './retries.ts';
export { type WaitOptions, waitFor } from './waiting.ts';
export { type SignedWebhook, verifyWebhook, type WebhookEvent, WebhookRefused } from './webhooks.ts';
