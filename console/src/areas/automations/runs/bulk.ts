import { useMutation } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import type { RunFilters } from '../../../api/runs';
import { say } from '../../../app/undo';
import type { Selection } from '../../../ui/lists/selection';
import { addJob } from '../../inbox/bulk/jobs';

const MAX_IDS = 200;

/** Returns the name of the list of an org's jobs of runs. */
export const jobsOf = (orgId: string): string => `${orgId}-runs`;

/** A change of all that is selected. */
export interface RunChange {
  does: string;
  action: Schemas['WorkflowRunAction'];
}

/** Changes up to 200 at once, and all of a list by a job on the server, which outlives the page. */
export function useRunChange(jobList: string, filters: RunFilters, selection: Selection) {
  return useMutation({
    mutationFn: async ({ action }: RunChange) => {
      const ids = [...selection.ids];
      if (!selection.isAll && ids.length > MAX_IDS)
        throw new Error(`Select up to ${MAX_IDS} runs, or all of the list.`);
      const which = selection.isAll ? { query: filters } : { ids };
      const params = { header: { 'idempotency-key': crypto.randomUUID() } };
      return dataOf(api.POST('/runs/bulk', { params, body: { ...which, action } }));
    },
    onSuccess: (answer, { does }) => {
      if ('job_id' in answer) addJob(jobList, { id: answer.job_id, does });
      else {
        const { results } = answer;
        const errors = results.filter(({ error }) => error !== undefined);
        const counts = { total: results.length, done: results.length, failed: errors.length };
        addJob(jobList, { id: crypto.randomUUID(), does, outcome: { state: 'done', ...counts, errors } });
      }
      selection.clear();
    },
    onError: (error) => say(error.message, { isError: true }),
  });
}
