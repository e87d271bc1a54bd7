import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Recovery, recoveryQuery } from '../../../api/settings';
import { Button, failureOf } from '../../../ui/parts';
import { Progress } from '../../../ui/progress';

const keyOf = (id: string) => `switchboard-recovery-${id}`;

/** The recovery of an endpoint that this browser has begun, if any: it is there again once the page is loaded again. */
export function useRecovery(id: string) {
  const [known, setKnown] = useState(() => ({ id, recovery: storedRecovery(id) }));
  if (known.id !== id) setKnown({ id, recovery: storedRecovery(id) });
  const follow = (recovery: Recovery | null) => {
    if (recovery === null) localStorage.removeItem(keyOf(id));
    else localStorage.setItem(keyOf(id), JSON.stringify(recovery));
    setKnown({ id, recovery });
  };
  return [known.recovery, follow] as const;
}

/** Returns the stored recovery. One stored by an earlier version counts as none. */
function storedRecovery(id: string): Recovery | null {
  try {
    const { since, until, total } = JSON.parse(localStorage.getItem(keyOf(id)) ?? '{}') as Partial<Recovery>;
    return since === undefined || until === undefined || total === undefined ? null : { since, until, total };
  } catch {
    return null;
  }
}

interface Counts {
  waiting: number;
  retrying: number;
  /** For good. */
  failed: number;
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
  const { isHeld = false, ...counts } = query.data ?? { waiting: total, retrying: 0, failed: 0 };
  const { waiting, retrying, failed } = counts;
  return (
    <section aria-label="Recovery" className="space-y-2 rounded-md border border-line bg-sunken px-4 py-2">
      <Progress
        says={isHeld ? 'The endpoint was disabled meanwhile: the rest is held' : sentenceOf(total, counts)}
        done={total - waiting}
        total={total}
      />
      {failureOf(query)}
      <div className="flex items-center gap-2">
        {retrying + failed > 0 && (
          <Link
            to="/settings/webhooks/$webhookId"
            params={{ webhookId: id }}
            search={{ status: retrying > 0 ? 'retrying' : 'failed' }}
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

function sentenceOf(total: number, { waiting, retrying, failed }: Counts): string {
  const open = `${total.toLocaleString()} that were open in this period were delivered`;
  const delivered = total - waiting - retrying - failed;
  if (delivered === total) return `All ${open}.`;
  const parts: [number, string][] = [
    [retrying, 'failed and are tried again'],
    [failed, 'failed for good'],
    [waiting, 'wait for their first try'],
  ];
  const others = parts.flatMap(([count, what]) => (count === 0 ? [] : [`, ${count.toLocaleString()} ${what}`]));
  return `${delivered.toLocaleString()} of ${open}${others.join('')}.`;
}
