import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { say } from '../../../app/undo';

interface ChangeOptions<Result> {
  /** What is read again afterwards, also if it failed: the server may have done it. */
  stale: QueryKey[];
  says?: string | ((result: Result) => string);
  /** Whether a failure is said at the bottom, as nothing else shows it. */
  isQuick?: boolean;
}

/** Changes something by the API, says so, and reads again what it has changed. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  { stale, says, isQuick = false }: ChangeOptions<Result>,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result) => {
      if (says !== undefined) say(typeof says === 'string' ? says : says(result));
    },
    onError: (error) => {
      if (isQuick) say(error.message, { isError: true });
    },
    onSettled: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
