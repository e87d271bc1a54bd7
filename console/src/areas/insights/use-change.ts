import { useMutation, useQueryClient } from '@tanstack/react-query';
import { INSIGHT_READS } from '../../api/insights';
import { say } from '../../app/undo';

interface Change<Input, Result> {
  /** Does it. Rejects with the API's sentence. */
  run: (input: Input) => Promise<Result>;
  onDone?: (result: Result, input: Input) => void;
  /** Whether a failure is said at the bottom, as nothing else shows it. */
  isQuick?: boolean;
}

/** A change of insights. What is shown of insights is read again. */
export function useChange<Result, Input = void>({ run, onDone, isQuick = false }: Change<Input, Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onError: (error) => {
      if (isQuick) say(error.message, { isError: true });
    },
    onSuccess: (result, input) => onDone?.(result, input),
    onSettled: () => {
      void client.invalidateQueries({ predicate: ({ queryKey: [operation] }) => INSIGHT_READS.has(String(operation)) });
    },
  });
}
