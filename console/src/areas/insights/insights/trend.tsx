const [WIDTH, HEIGHT, GAP] = [64, 18, 2];

/** The sessions of the last weeks as small bars, and in words whether they grow. */
export const Trend = ({ weeks }: { weeks: number[] }) => {
  const most = Math.max(...weeks, 1);
  const step = WIDTH / Math.max(weeks.length, 1);
  const said = `Conversations a week, the latest last: ${weeks.join(', ')}`;
  return (
    <span className="flex items-center gap-2" title={said}>
      <svg role="img" aria-label={said} width={WIDTH} height={HEIGHT} className="shrink-0">
        {weeks.map((count, n) => {
          const height = count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT);
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: weeks keep their places
              key={n}
              x={n * step}
              y={HEIGHT - height}
              width={step - GAP}
              height={height}
              className={count === 0 ? 'fill-line' : 'fill-accent'}
            />
          );
        })}
      </svg>
      <span className="text-xs text-quiet">{directionOf(weeks)}</span>
    </span>
  );
};

/** Returns how the later half of the weeks compares with the earlier one. */
function directionOf(weeks: number[]): string {
  const half = Math.floor(weeks.length / 2);
  const sumOf = (some: number[]) => some.reduce((sum, count) => sum + count, 0);
  const [before, now] = [sumOf(weeks.slice(0, half)), sumOf(weeks.slice(half))];
  if (before === now) return now === 0 ? 'quiet' : 'steady';
  if (before === 0) return 'new';
  const percent = Math.round(((now - before) / before) * 100);
  return percent > 0 ? `+${percent}%` : `−${-percent}%`;
}
