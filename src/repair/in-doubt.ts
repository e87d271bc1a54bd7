import { messageOf } from '../errors.ts';

/** A row or a Schedule that does not fit to what may have happened since the backup. */
export interface InDoubt {
  kind: 'sequence' | 'message-request' | 'workflow-run' | 'ai-turn' | 'handoff' | 'schedule';
  org_id: string | null;
  id: string;
  why: string;
  /** What was done: `none` in a dry run, `failed` if it could not be done. */
  mended: string;
  error?: string;
}

/** Returns what came of mending a row, or undefined where nothing had to be done. */
export const outcomeOf = (
  mending: Promise<string | undefined>,
): Promise<Pick<InDoubt, 'mended' | 'error'> | undefined> =>
  mending.then(
    (mended) => (mended === undefined ? undefined : { mended }),
    (error: unknown) => ({ mended: 'failed', error: messageOf(error) }),
  );
