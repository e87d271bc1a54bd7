interface ProgressProps {
  /** What goes on, in a sentence that is said again when it changes. */
  says: string;
  done: number;
  /** Nothing as long as nobody knows how much it is. */
  total: number | undefined;
}

/** How far something is that takes long. */
export const Progress = ({ says, done, total }: ProgressProps) => (
  <div>
    <p role="status">{says}</p>
    <progress
      aria-label="Progress"
      {...(total !== undefined && { max: Math.max(total, 1), value: done })}
      className="mt-1 block h-1.5 w-full accent-(--accent)"
    />
  </div>
);
