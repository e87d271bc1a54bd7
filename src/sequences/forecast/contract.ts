import type { WorkflowContract } from '../../temporal/contract.ts';

export interface ForecastRef {
  orgId: string;
  forecastId: string;
}

/** Forecasts a large sequence. */
export const FORECAST_SEQUENCE: WorkflowContract<ForecastRef> = {
  type: 'forecastSequence',
  taskQueue: 'bulk',
  workflowId: ({ forecastId }) => `sequence-forecast/${forecastId}`,
};

/** What a forecast has looked at. */
export interface ForecastEnd {
  contacts: number;
  /** `gone`: the sequence was deleted. `failed`: the forecast says why. */
  state: 'done' | 'gone' | 'failed';
}
