import type { LinkProps } from '@tanstack/react-router';
import type { Figures } from '../../api/analytics';
import { Figured } from './figure-table';
import { differenceOf, type Figure, shownFigure } from './figures';

const TONES = { good: 'text-good-text', bad: 'text-bad-text', plain: 'text-quiet' };

interface TilesProps {
  figures: Figure[];
  totals: Figures;
  /** The totals of the period before. Undefined as long as they are read. */
  before: Figures | undefined;
  linkOf: (figure: string) => LinkProps | undefined;
}

/** The figures of the whole range, each with how it differs from the period before. */
export const Tiles = ({ figures, totals, before, linkOf }: TilesProps) => (
  <dl className="grid grid-cols-2 overflow-hidden border-b border-line min-[600px]:grid-cols-4 min-[1100px]:grid-cols-6">
    {figures.map((figure) => {
      const { key, name, kind } = figure;
      const now = totals[key] ?? null;
      const difference = before === undefined ? undefined : differenceOf(now, before[key] ?? null, figure);
      return (
        <div key={key} className="min-w-0 px-4 py-2">
          <dt className="truncate text-xs text-quiet" title={name}>
            {name}
          </dt>
          <dd className="text-lg font-semibold tabular-nums [&>a]:justify-start">
            <Figured text={shownFigure(now, kind)} link={now ? linkOf(key) : undefined} />
          </dd>
          <dd className={`min-h-4 text-xs ${TONES[difference?.tone ?? 'plain']}`}>
            {difference !== undefined && (
              <>
                {difference.text}
                <span className="sr-only"> than in the period before, {shownFigure(before?.[key], kind)}</span>
              </>
            )}
          </dd>
        </div>
      );
    })}
  </dl>
);
