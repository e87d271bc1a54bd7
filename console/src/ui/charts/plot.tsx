import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'react';
import type { ChartProps } from './chart-props';
import type { Tone } from './parts-bar';

const COLORS: Record<Tone, string> = {
  accent: '--accent',
  good: '--good-text',
  bad: '--bad-text',
  warn: '--note-line',
  quiet: '--quiet',
  plain: '--line',
};
const MS = 1_000;
const BAR = 0.8;
const MAX_BAR_PX = 40;
const LABEL_GAP_PX = 70;

interface PlotProps extends Pick<ChartProps, 'times' | 'series' | 'onRange'> {
  onPoint: (at: number | undefined) => void;
}

/** Draws stacked bars with uPlot. It is loaded with the first chart. */
export const Plot = ({ times, series, onRange, onPoint }: PlotProps) => {
  const box = useRef<HTMLDivElement>(null);
  const callbacks = useRef({ onRange, onPoint });
  callbacks.current = { onRange, onPoint };
  const look = useLook();
  const drawn = JSON.stringify([times, series]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is compared by its contents
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const at = times.map((time) => Date.parse(time) / MS);
    const sums = stacked(series.map(({ values }) => values)).toReversed();
    const plot = new uPlot(
      {
        ...size(),
        legend: { show: false },
        padding: [8, 8, 0, 0],
        cursor: { y: false, points: { show: false }, drag: { x: onRange !== undefined, y: false, setScale: false } },
        scales: {
          x: { time: true, range: () => widened(at) },
          y: { range: (_, __, most) => [0, Math.max(most, 1)] },
        },
        axes: [axis({ space: LABEL_GAP_PX }), axis({ size: 44, incrs: WHOLE_STEPS })],
        series: [
          {},
          ...series.toReversed().map(({ name, tone }) => ({
            label: name,
            fill: colorOf(COLORS[tone]),
            width: 0,
            points: { show: false },
            ...(uPlot.paths.bars !== undefined && { paths: uPlot.paths.bars({ size: [BAR, MAX_BAR_PX] }) }),
          })),
        ],
        hooks: {
          setCursor: [({ cursor }) => callbacks.current.onPoint(cursor.idx ?? undefined)],
          setSelect: [
            (chart) => {
              const { left, width } = chart.select;
              if (width === 0) return;
              const from = times[chart.posToIdx(left)];
              const to = times[chart.posToIdx(left + width)];
              chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              if (from !== undefined && to !== undefined) callbacks.current.onRange?.(from, to);
            },
          ],
        },
      },
      [at, ...sums],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [drawn, look]);
  return <div ref={box} className="h-full" />;
};

const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 8 }, (_, n) => step * 10 ** n))
  .sort((a, b) => a - b);

function axis(options: uPlot.Axis): uPlot.Axis {
  const line = { stroke: colorOf('--line'), width: 1 };
  return { stroke: colorOf('--quiet'), font: '11px system-ui', grid: line, ticks: { ...line, size: 4 }, ...options };
}

/** Returns for each series the sums of it and those before it. */
function stacked(series: number[][]): number[][] {
  const sums: number[][] = [];
  for (const values of series) {
    const before = sums.at(-1);
    sums.push(values.map((value, n) => value + (before?.[n] ?? 0)));
  }
  return sums;
}

const HALF_A_DAY = 43_200;

/** Leaves room for half a bar at both ends. */
function widened(at: number[]): [number, number] {
  const [first = 0, second] = at;
  const half = second === undefined ? HALF_A_DAY : (second - first) / 2;
  return [first - half, (at.at(-1) ?? first) + half];
}

/** Returns a colour of the theme as canvas takes it: without light-dark(). */
function colorOf(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Returns another number whenever the theme has changed. */
function useLook(): number {
  const [look, setLook] = useState(0);
  useEffect(() => {
    const onChange = () => setLook((n) => n + 1);
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const observer = new MutationObserver(onChange);
    dark.addEventListener('change', onChange);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
    return () => {
      dark.removeEventListener('change', onChange);
      observer.disconnect();
    };
  }, []);
  return look;
}
