import { useVirtualizer } from '@tanstack/react-virtual';
import { CircleSlash } from 'lucide-react';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef } from 'react';
import type { Run, RunStep } from '../../../api/runs';
import { usePinnedRow } from '../../../ui/lists/pinned-row';
import { Empty } from '../../../ui/parts';
import { useTick } from '../../../ui/times/time';
import { isActive, STEP_STATES } from '../states';
import { shownLength, shownUntil } from '../times';
import { iterationOf, type Span, spansOf } from './spans';

const ROW_HEIGHT = 32;
const TICK_MS = 1_000;
const INDENT_REM = 0.75;
const MAX_INDENTS = 6;

interface WaterfallProps {
  run: Run;
  steps: RunStep[];
  openPath: string | undefined;
  onOpen: (path: string) => void;
}

/** The steps of a run in the order in which they began, each with a bar of its time. */
export const Waterfall = ({ run, steps, openPath, onOpen }: WaterfallProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const isRunning = isActive(run);
  useTick(isRunning ? TICK_MS : 3_600_000);
  // A run that has ended has the same spans however often the list is rendered, as it is while it scrolls.
  const nowMs = isRunning ? Math.floor(Date.now() / TICK_MS) * TICK_MS : 0;
  const spans = useMemo(() => spansOf(run, steps, nowMs), [run, steps, nowMs]);
  const keys = useMemo(() => spans.map(({ step }) => step.path), [spans]);
  const { pin, rangeExtractor } = usePinnedRow(scroller, keys);
  const virtual = useVirtualizer({
    count: spans.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    rangeExtractor,
  });
  const at = spans.findIndex(({ step }) => step.path === openPath);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come do not scroll the list
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [openPath]);
  const onKeyDown = (event: KeyboardEvent) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = way === undefined ? undefined : spans[at + way]?.step.path;
    if (next === undefined) return;
    event.preventDefault();
    onOpen(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>('[aria-current=true]')?.focus());
  };
  if (spans.length === 0 && run.not_run.length === 0)
    return <Empty title="No step yet">{run.status === 'idle' ? 'The run is queued.' : 'It had nothing to do.'}</Empty>;
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto py-1">
      <ul aria-label="Steps" onKeyDown={onKeyDown} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const span = spans[index];
          return span === undefined ? null : (
            <li
              key={span.step.path}
              onFocus={() => pin(span.step.path)}
              className="absolute inset-x-0 top-0 h-8"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row span={span} isOpen={index === at} isFocusable={index === Math.max(at, 0)} onOpen={onOpen} />
            </li>
          );
        })}
      </ul>
      <NotRun run={run} />
    </div>
  );
};

interface RowProps {
  span: Span;
  isOpen: boolean;
  isFocusable: boolean;
  onOpen: (path: string) => void;
}

/** Rows that stay while the list is scrolled are not rendered again. */
const Row = memo(({ span, isOpen, isFocusable, onOpen }: RowProps) => {
  const { step, depth, ms } = span;
  const iteration = iterationOf(step.path);
  return (
    <button
      type="button"
      tabIndex={isFocusable ? 0 : -1}
      aria-current={isOpen}
      onClick={() => onOpen(step.path)}
      className="grid h-full w-full grid-cols-[minmax(0,1fr)_minmax(0,0.7fr)_5.75rem] items-center gap-3 px-4 text-left hover:bg-hover aria-[current=true]:bg-selected min-[900px]:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_5.75rem]"
    >
      <span
        className="flex min-w-0 items-center gap-2"
        style={{ paddingLeft: `${Math.min(depth, MAX_INDENTS) * INDENT_REM}rem` }}
      >
        <Dot step={step} />
        <span className="truncate">{step.name ?? step.id}</span>
        {iteration !== '' && <span className="shrink-0 text-xs text-quiet tabular-nums">{iteration}</span>}
        {step.attempts > 1 && (
          <span className="shrink-0 text-xs text-quiet tabular-nums">
            ×{step.attempts}
            <span className="sr-only"> attempts</span>
          </span>
        )}
        <span className="sr-only">: {STEP_STATES[step.status]},</span>
      </span>
      <Bar span={span} />
      <span className="truncate text-right text-xs text-quiet tabular-nums">
        {step.next_try_at === null ? shownLength(ms) : shownUntil(step.next_try_at)}
      </span>
    </button>
  );
});

const DOTS: Record<RunStep['status'], string> = {
  completed: 'bg-good-text',
  failed: 'rounded-none rotate-45 bg-bad-text',
  in_progress: 'bg-accent motion-safe:animate-pulse',
  waiting: 'border-2 border-note-line',
  skipped: 'border-2 border-quiet',
};

/** The state of a step, by its colour and its shape. */
const Dot = ({ step: { status } }: { step: RunStep }) => (
  <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${DOTS[status]}`} />
);

const FILLS: Record<RunStep['status'], string> = {
  completed: 'bg-good-text',
  failed: 'bg-bad-text',
  in_progress: 'bg-accent',
  waiting: 'text-note-line',
  skipped: 'bg-quiet',
};
/** A wait is hatched, also in grey. */
const HATCHED =
  'bg-[repeating-linear-gradient(135deg,currentColor_0_2px,transparent_2px_6px)] text-note-line border border-note-line';

const Bar = ({ span: { step, from, to, isWaiting } }: { span: Span }) => (
  <span aria-hidden="true" className="relative block h-3 rounded-sm bg-sunken">
    <span
      className={`absolute inset-y-0 min-w-[3px] rounded-sm ${isWaiting ? HATCHED : FILLS[step.status]}`}
      style={{ left: `min(${from * 100}%, calc(100% - 3px))`, width: `${(to - from) * 100}%` }}
    />
  </span>
);

/** The steps that the run did not come to, and why. */
const NotRun = ({ run: { not_run: steps } }: { run: Run }) =>
  steps.length === 0 ? null : (
    <details className="border-t border-line px-4 py-2" open={steps.length <= 10}>
      <summary className="cursor-pointer text-quiet hover:text-text">Not run: {steps.length}</summary>
      <ul className="mt-1 space-y-1">
        {steps.map(({ id, name, because }) => (
          <li key={id} className="flex items-center gap-2">
            <CircleSlash size={14} aria-hidden="true" className="shrink-0 text-quiet" />
            <span className="min-w-0 truncate">{name ?? id}</span>
            <span className="min-w-0 truncate text-xs text-quiet">{because}</span>
          </li>
        ))}
      </ul>
    </details>
  );
