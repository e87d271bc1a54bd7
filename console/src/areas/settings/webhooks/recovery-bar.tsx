import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Recovery, recoveryQuery } from '../../../api/settings';
import { Button, failureOf } from '../../../ui/parts';
import { Progress } from '../../../ui/progress';

/** The recovery of an endpoint that this browser has begun, if any: it is there again once the page is loaded again. */
export function useRecovery(id: string) {
  const key = `switchboard-recovery-${id}`;
  const [, setVersion] = useState(0);
  const recovery = JSON.parse(localStorage.getItem(key) ?? 'null') as Recovery | null;
  const follow = (next: Recovery | null) => {
    if (next === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(next));
    setVersion((version) => version + 1);
  };
  return [recovery, follow] as const;
}

interface BarProps {
  id: string;
  recovery: Recovery;
  onDismiss: () => void;
}

/** How far a recovery is, and what of it failed. */
export const RecoveryBar = ({ id, recovery, onDismiss }: BarProps) => {
  const query = useQuery(recoveryQuery(id, recovery));
  const { total } = recovery;
  const { waiting = total, retrying = 0, isHeld = false } = query.data ?? {};
  return (
    <section aria-label="Recovery" className="space-y-2 rounded-md border border-line bg-sunken px-4 py-2">
      <Progress
        says={isHeld ? 'The endpoint was disabled meanwhile: the rest is held' : sentenceOf(total, waiting, retrying)}
        done={total - waiting}
        total={total}
      />
      {failureOf(query)}
      <div className="flex items-center gap-2">
        {retrying > 0 && (
          <Link
            to="/settings/webhooks/$webhookId"
            params={{ webhookId: id }}
            search={{ status: 'retrying' }}
            className="text-link underline"
          >
            Those that failed
          </Link>
        )}
        <span className="flex-1" />
        <Button look="quiet" onClick={onDismiss}>
          Dismiss
        </Button>
      </div>
    </section>
  );
};

function sentenceOf(total: number, waiting: number, retrying: number): string {
  if (waiting === 0 && retrying === 0) return `All ${total.toLocaleString()} were delivered.`;
  const delivered = `${(total - waiting - retrying).toLocaleString()} of ${total.toLocaleString()} were delivered`;
  const failed = retrying === 0 ? '' : `, ${retrying.toLocaleString()} failed and are tried again`;
  return `${delivered}${failed}${waiting === 0 ? '.' : `, ${waiting.toLocaleString()} wait for their first try`}`;
}
