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

/** Returns what was stored. What an earlier version has stored is none. */
function storedRecovery(id: string): Recovery | null {
  try {
    const { since, until, total } = JSON.parse(localStorage.getItem(keyOf(id)) ?? '{}') as Partial<Recovery>;
    return since === undefined || until === undefined || total === undefined ? null : { since, until, total };
  } catch {
    return null;
  }
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
  const open = `${total.toLocaleString()} that were open in this period were delivered`;
  if (waiting === 0 && retrying === 0) return `All ${open}.`;
  const failed = retrying === 0 ? '' : `, ${retrying.toLocaleString()} failed and are tried again`;
  const rest = waiting === 0 ? '.' : `, ${waiting.toLocaleString()} wait for their first try`;
  return `${(total - waiting - retrying).toLocaleString()} of ${open}${failed}${rest}`;
}
