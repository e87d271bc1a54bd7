import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SequenceActivities } from '../activities/sequences.ts';
import type { ForecastRef } from '../src/sequences/forecast/contract.ts';
import { FORECAST } from './activity-options.ts';

const { computeForecast } = proxyActivities<SequenceActivities>({
  ...FORECAST,
  summary: 'simulate the contacts: its last heartbeat says how many are done',
});

/** Forecasts a large sequence. Returns the number of contacts. */
export async function forecastSequence(input: ForecastRef): Promise<number> {
  const { contacts, state } = await computeForecast(input);
  setCurrentDetails(state === 'done' ? `${contacts} contacts simulated` : 'the sequence was deleted');
  return contacts;
}
