/** The class of each tone. */
export const FILLS = {
  accent: 'bg-accent',
  good: 'bg-good-text',
  bad: 'bg-bad-text',
  warn: 'bg-note-line',
  quiet: 'bg-quiet',
  plain: 'bg-line',
};
export type Tone = keyof typeof FILLS;

export interface Part {
  name: string;
  count: number;
  tone: Tone;
}

const shownCount = (count: number): string => count.toLocaleString();

/** The parts of a whole, as one bar. They are named for screen readers, and on hover. */
export const PartsBar = ({ label, parts }: { label: string; parts: Part[] }) => {
  const given = parts.filter(({ count }) => count > 0);
  const said = given.map(({ name, count }) => `${shownCount(count)} ${name}`).join(', ');
  return (
    <div
      role="img"
      aria-label={`${label}: ${said || 'nothing yet'}`}
      title={said}
      className="flex h-2 w-full gap-px overflow-hidden rounded-full bg-sunken"
    >
      {given.map(({ name, count, tone }) => (
        <span key={name} className={`min-w-1 ${FILLS[tone]}`} style={{ flexGrow: count }} />
      ))}
    </div>
  );
};

/** The parts of a bar with their colours and numbers. */
export const PartsLegend = ({ parts }: { parts: Part[] }) => (
  <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs">
    {parts
      .filter(({ count }) => count > 0)
      .map(({ name, count, tone }) => (
        <li key={name} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2 rounded-full ${FILLS[tone]}`} />
          <span className="tabular-nums">{shownCount(count)}</span>
          <span className="text-quiet">{name}</span>
        </li>
      ))}
  </ul>
);
