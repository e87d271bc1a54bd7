import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SequenceActivities } from '../activities/sequences.ts';
import type { ForecastEnd, ForecastRef } from '../src/sequences/forecast/contract.ts';
import { FORECAST } from './activity-options.ts';

const { computeForecast } = proxyActivities<SequenceActivities>({
  ...FORECAST,
  summary: 'simulate contacts (the last heartbeat has the count)',
});

const DETAILS: Record<ForecastEnd['state'], (contacts: number) => string> = {
  done: (contacts) => `${contacts} contacts simulated`,
  gone: () => 'the sequence was deleted',
  failed: () => 'the forecast failed, and says why',
};

/** Forecasts a large sequence. Returns the number of contacts. */
export async function forecastSequence(input: ForecastRef): Promise<number> {
  const { contacts, state } = await computeForecast(input);
  setCurrentDetails(DETAILS[state](contacts));
  return contacts;
}
