import type { ComponentProps, ReactNode } from 'react';

const BUTTON =
  'inline-flex h-8 items-center gap-1.5 rounded-md px-2.5 font-medium whitespace-nowrap motion-safe:transition-colors motion-safe:duration-100 disabled:opacity-50 aria-disabled:opacity-50';

const LOOKS = {
  plain: 'border border-line bg-surface hover:bg-hover',
  quiet: 'hover:bg-hover text-quiet hover:text-text',
  main: 'bg-accent text-on-accent hover:brightness-110',
  bad: 'border border-current bg-bad text-bad-text hover:brightness-95',
};

export interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof LOOKS | undefined;
}

/** Returns the classes of what looks like a button, such as a link. */
export const lookOf = (look: keyof typeof LOOKS) => `${BUTTON} ${LOOKS[look]}`;

export const Button = ({ look = 'plain', className = '', ...rest }: ButtonProps) => (
  <button type="button" className={`${lookOf(look)} ${className}`} {...rest} />
);

export const ICON_BUTTON =
  'relative grid size-9 shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text';

const TONES = {
  plain: 'bg-sunken text-quiet',
  warn: 'bg-warn text-warn-text',
  bad: 'bg-bad text-bad-text',
  good: 'bg-good text-good-text',
};

export const Chip = ({ tone = 'plain', children }: { tone?: keyof typeof TONES; children: ReactNode }) => (
  <span className={`inline-flex h-5 max-w-40 items-center truncate rounded px-1.5 text-xs ${TONES[tone]}`}>
    {children}
  </span>
);

/** The words of an empty list. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="m-auto max-w-80 p-6 text-center text-balance">
    <p className="font-medium">{title}</p>
    <div className="mt-1 text-quiet">{children}</div>
  </div>
);

/** An error with the API's sentence, and a way to try again. */
export const Failure = ({ error, onRetry }: { error: Error; onRetry: () => void }) => (
  <div role="alert" className="m-3 rounded-md bg-bad p-3 text-bad-text">
    <p>{error.message}</p>
    <Button className="mt-2 text-text" onClick={onRetry}>
      Try again
    </Button>
  </div>
);

interface Read {
  error: Error | null;
  refetch: () => Promise<unknown>;
}

/** Returns why something could not be read, with a way to read it again. Nothing where it was read. */
export const failureOf = ({ error, refetch }: Read) =>
  error !== null && <Failure error={error} onRetry={() => void refetch()} />;

/** Grey lines in the place of what is still read. They show after a moment: most answers are there before. */
export const Skeleton = ({ rows }: { rows: number }) => (
  <div aria-busy="true" className="animate-(--animate-late) space-y-4 p-4">
    {Array.from({ length: rows }, (_, n) => `row ${n}`).map((row) => (
      <div key={row} className="space-y-2">
        <div className="h-3 w-1/3 rounded bg-sunken" />
        <div className="h-3 w-3/4 rounded bg-sunken" />
      </div>
    ))}
  </div>
);

const HUES = ['bg-[#c2410c]', 'bg-[#7c3aed]', 'bg-[#0e7490]', 'bg-[#15803d]', 'bg-[#be185d]', 'bg-[#4f46e5]'];

const AVATAR_SIZES = { normal: 'size-7 text-xs', small: 'size-5 text-[10px]' };

export const Avatar = ({ name, size = 'normal' }: { name: string; size?: keyof typeof AVATAR_SIZES }) => {
  const hue = HUES[[...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % HUES.length];
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-full font-semibold text-white ${AVATAR_SIZES[size]} ${hue}`}
    >
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
};
