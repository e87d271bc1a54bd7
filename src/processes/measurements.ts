import { type Channel, channel } from 'node:diagnostics_channel';

/** What the programs measure. Labels are names of ours: never an id, an address or a text. */
export interface Measurements {
  /** A message given to a provider. */
  send: { channel: string; provider: string; outcome: string; seconds: number };
  /** A request to the provider of a connection. */
  'provider-call': { kind: string; outcome: 'ok' | 'failed'; seconds: number };
  /** A request refused with 429. */
  'limit-reached': { limit: string };
}

export type MeasurementName = keyof Measurements;

/** Node's channels of diagnostics: whoever measures needs no dependency for it, and costs nothing where nobody listens. */
const CHANNELS: Record<MeasurementName, Channel> = {
  send: channel('switchboard:send'),
  'provider-call': channel('switchboard:provider-call'),
  'limit-reached': channel('switchboard:limit-reached'),
};

/** Announces a measurement to the metrics of this process. */
export function measured<Name extends MeasurementName>(name: Name, measurement: Measurements[Name]): void {
  CHANNELS[name].publish(measurement);
}

/** Calls the function at each measurement of this process. Returns what ends this. */
export function onMeasured<Name extends MeasurementName>(
  name: Name,
  receive: (measurement: Measurements[Name]) => void,
): () => void {
  const listener = (measurement: unknown) => receive(measurement as Measurements[Name]);
  CHANNELS[name].subscribe(listener);
  return () => CHANNELS[name].unsubscribe(listener);
}

/** Returns the seconds since a time of `performance.now()`. */
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;
