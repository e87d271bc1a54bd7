import { useQuery } from '@tanstack/react-query';
import { evalResultQuery } from '../../../api/ai';
import { Dialog } from '../../../ui/dialogs/dialog';
import { failureOf, Skeleton } from '../../../ui/parts';
import { Trace } from '../turns/turn-trace';

interface ResultProps {
  runId: string;
  caseId: string;
  onClose: () => void;
}

/** The result of a case, check by check, with its turn. */
export const ResultDialog = ({ runId, caseId, onClose }: ResultProps) => {
  const result = useQuery(evalResultQuery(runId, caseId));
  const { data } = result;
  return (
    <Dialog title={data?.name ?? 'Case'} className="w-[40rem]" onClose={onClose}>
      {result.isPending && <Skeleton rows={4} />}
      {failureOf(result)}
      {data !== undefined && (
        <div className="space-y-3">
          {data.error !== null && <p className="break-words text-bad-text">{data.error}</p>}
          <ul aria-label="Checks" className="space-y-1">
            {data.checks.map(({ check, passed, expected, got }) => (
              <li key={`${check} ${expected}`} className="break-words">
                <span className={passed ? 'text-good-text' : 'text-bad-text'}>{passed ? 'Passed' : 'Failed'}</span>{' '}
                {check}: wanted {expected}
                {!passed && `, got ${got}`}
              </li>
            ))}
          </ul>
          {data.turn !== null && (
            <>
              {data.turn.text !== null && (
                <p className="rounded-lg bg-selected px-3 py-2 break-words whitespace-pre-wrap">{data.turn.text}</p>
              )}
              <div className="text-xs">
                <Trace turn={data.turn} />
              </div>
            </>
          )}
        </div>
      )}
    </Dialog>
  );
};
