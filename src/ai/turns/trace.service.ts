import type { LedgerCall } from '../calls/ledger.port.ts';
import { StepDecision, StepDetail, type TurnCall } from './schema.ts';
import type { TakenStep } from './steps.service.ts';

/** A step as it is stored, or as a preview has taken it. */
type TracedStep = Omit<TakenStep, 'cost'> & { cost?: number | string | null | undefined };

/** Returns the ids of the calls made by steps. */
export const callIdsOf = (steps: Pick<TracedStep, 'detail'>[]): string[] =>
  steps.flatMap(({ detail }) => StepDetail.parse(detail).call_id ?? []);

/** Returns steps as they are shown, with their sums. Texts are gone after a redaction. */
export function traceOf(steps: TracedStep[], calls: ReadonlyMap<string, LedgerCall>) {
  const shown = steps.map(({ decision, cost, model = null, usage = null, ...step }) => {
    const { tries, passages, call_id, ...detail } = StepDetail.parse(step.detail);
    const { queries, dropped, note } = StepDecision.parse(decision ?? {});
    const call = call_id === undefined ? undefined : calls.get(call_id);
    return {
      ...step,
      model,
      usage,
      cost: cost === null || cost === undefined ? null : Number(cost),
      tries,
      searches: queries,
      passages,
      calls:
        step.purpose !== 'call' ? [] : [call === undefined ? refusedCall(detail.operation_id, note) : shownCall(call)],
      dropped,
      detail,
    };
  });
  const sumOf = (count: 'input' | 'output' | 'cached') =>
    shown.reduce((sum, { usage }) => sum + (usage?.[count] ?? 0), 0);
  return {
    steps: shown,
    usage: { input: sumOf('input'), output: sumOf('output'), cached: sumOf('cached') },
    cost: shown.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
  };
}

const shownCall = ({
  id,
  operation_id,
  state,
  arguments: args,
  status,
  response,
  needs,
  reason,
}: LedgerCall): TurnCall => ({
  id,
  operation_id,
  state,
  arguments: args,
  status,
  response: response ?? null,
  needs,
  reason,
});

const refusedCall = (operation_id = '', reason: string | null): TurnCall => ({
  id: null,
  operation_id,
  state: 'refused',
  arguments: null,
  status: null,
  response: null,
  needs: null,
  reason,
});
