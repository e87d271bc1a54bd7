interface BarProps {
  done: number;
  /** Nothing as long as nobody knows how much it is. */
  total: number | undefined;
}

interface ProgressProps extends BarProps {
  /** The state in a sentence. Screen readers say each change. */
  says: string;
}

/** How far something is that takes long. */
export const Progress = ({ says, ...bar }: ProgressProps) => (
  <div>
    <p role="status">{says}</p>
    <ProgressBar {...bar} />
  </div>
);

/** The bar alone, beside a sentence that stays once all is done. */
export const ProgressBar = ({ done, total }: BarProps) => (
  <progress
    aria-label="Progress"
    {...(total !== undefined && { max: Math.max(total, 1), value: done })}
    className="mt-1 block h-1.5 w-full accent-(--accent)"
  />
);
