import { useQuery } from '@tanstack/react-query';
import { problemsQuery } from '../../../../api/runs';
import { failureOf } from '../../../../ui/parts';
import { useSettled } from '../../../../ui/use-settled';
import { type Draft, definitionOf } from './use-draft';

export interface Issue {
  step_id: string | null;
  message: string;
}

/** The problems of what is written, once it has not changed for a moment. */
export function useProblems(draft: Draft): { issues: Issue[]; failure: ReturnType<typeof failureOf> } {
  const written = JSON.stringify(definitionOf(draft));
  const settled = useSettled(written);
  const query = useQuery(problemsQuery(JSON.parse(settled === '' ? written : settled)));
  return { issues: query.data ?? [], failure: failureOf(query) };
}
