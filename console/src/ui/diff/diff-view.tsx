import type { DiffLine } from './diff';

const LOOKS = {
  same: '',
  added: 'bg-good text-good-text',
  removed: 'bg-bad text-bad-text',
};
const SIGNS = { same: ' ', added: '+', removed: '-' };

/** The lines of a comparison. A gap between them is undefined. */
export const DiffView = ({ lines, wraps = false }: { lines: (DiffLine | undefined)[]; wraps?: boolean }) => (
  <pre className={`font-mono text-xs ${wraps ? 'break-words whitespace-pre-wrap' : 'w-max min-w-full'}`}>
    {lines.map((line, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their places
      <div key={n} className={line === undefined ? 'text-quiet' : LOOKS[line.kind]}>
        {line === undefined ? '  ⋯' : `${SIGNS[line.kind]} ${line.text}`}
      </div>
    ))}
  </pre>
);

/** A comparison in a box that scrolls, also by the keyboard. */
export const DiffBox = ({ label, lines }: { label: string; lines: (DiffLine | undefined)[] }) => (
  <section
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
    tabIndex={0}
    className="max-h-96 overflow-y-auto rounded-md border border-line p-2"
  >
    <DiffView lines={lines} wraps />
  </section>
);
