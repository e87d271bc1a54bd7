import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';
import { Chart } from '../../../ui/charts/chart';
import type { Series } from '../../../ui/charts/chart-props';
import type { Tone } from '../../../ui/charts/parts-bar';
import { Button, Failure } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { useStoredId } from '../../../ui/stored-id';
import { Ago } from '../../../ui/times/ago';
import { shownShortDay } from '../../../ui/times/moments';
import { shownMoment } from '../../../ui/times/time';
import { GATES, namedStep, skipReasonOf } from '../words';
import { bucketsBetween, leastMs } from './buckets';

type Sequence = Schemas['Sequence'];
type StepForecast = Schemas['SequenceForecast']['steps'][number];

const POLL_MS = 1_000;
const HOUR_MS = 3_600_000;
const MAX_HOURS_SHOWN = 48;
const TONES: Tone[] = ['accent', 'good', 'warn', 'quiet', 'bad', 'plain'];

/** What would go out if nothing changed: before the start, and from now on. */
export const Forecast = ({ sequence }: { sequence: Sequence }) => {
  const isPending = sequence.status === 'pending';
  const forecast = useForecast(sequence.id, isPending ? 'pending' : 'begun');
  const { steps, audience, progress, asOf, error, isAsked } = forecast;
  return (
    <Section
      title="Forecast"
      actions={
        <Button onClick={forecast.ask} disabled={progress !== undefined}>
          {isAsked ? 'Forecast again' : 'Forecast'}
        </Button>
      }
    >
      <div className="space-y-3 p-4">
        {!isAsked && (
          <p className="text-quiet">
            {isPending
              ? 'Who would get what and when, if the sequence were started now. Nothing is sent.'
              : 'What goes out in the next 7 days if nothing changes. Nothing is sent by it.'}
          </p>
        )}
        {error !== null && <Failure error={error} onRetry={forecast.retry} />}
        {progress !== undefined && <Progress {...progress} />}
        {steps !== null && <Bars sequence={sequence} steps={steps} />}
        {steps !== null && <Steps sequence={sequence} steps={steps} />}
        {audience !== null && isPending && (
          <p className="text-quiet">
            {audience.matching.toLocaleString()}
            {audience.is_at_least && '+'} contacts match the filter now.
          </p>
        )}
        {asOf !== undefined && (
          <p className="text-xs text-quiet">
            Forecast <Ago at={asOf} />. Lengths of texts are not looked at.
          </p>
        )}
      </div>
    </Section>
  );
};

/** Asks for a forecast. A large one is computed by the server, and its progress is shown, also once the page is loaded again. */
function useForecast(id: string, course: 'pending' | 'begun') {
  const path = { id };
  const [forecastId, remember] = useStoredId(`switchboard-forecast-${id}-${course}`);
  const [askedAt, setAskedAt] = useState<string>();
  const request = useMutation({
    mutationFn: () => dataOf(api.POST('/sequences/{id}/forecast', { params: { path } })),
    onMutate: () => setAskedAt(new Date().toISOString()),
    onSuccess: (answer) => remember('state' in answer ? answer.id : undefined),
  });
  const job = useQuery({
    queryKey: ['getSequenceForecast', id, forecastId],
    queryFn: () =>
      dataOf(
        api.GET('/sequences/{id}/forecasts/{forecastId}', {
          params: { path: { id, forecastId: forecastId ?? '' } },
        }),
      ),
    enabled: forecastId !== undefined,
    refetchInterval: ({ state }) =>
      state.error === null && (state.data?.state ?? 'in_progress') === 'in_progress' ? POLL_MS : false,
  });
  const isDeleted = job.error instanceof ApiError && job.error.status === 404;
  const isOfJob = forecastId !== undefined && !isDeleted;
  const atOnce = request.data !== undefined && 'state' in request.data ? undefined : request.data;
  const answer = isOfJob ? job.data : atOnce;
  const failed = answer !== undefined && 'error' in answer && answer.error !== null ? new Error(answer.error) : null;
  const isComputing = isOfJob && (job.data?.state ?? 'in_progress') === 'in_progress';
  const isRunning = request.isPending || (isComputing && (job.error === null || job.isFetching));
  const { contacts_done: done = 0, contacts: total = 0 } = job.data?.progress ?? {};
  return {
    ask: () => request.mutate(),
    retry: () => (job.error === null ? request.mutate() : void job.refetch()),
    isAsked: !request.isIdle || isOfJob,
    steps: answer?.steps ?? null,
    audience: answer?.audience ?? null,
    error: request.error ?? (isDeleted ? null : job.error) ?? failed,
    progress: isRunning ? { done, total } : undefined,
    asOf: answer?.steps == null ? undefined : 'created_at' in answer ? answer.created_at : askedAt,
  };
}

const Progress = ({ done, total }: { done: number; total: number }) => (
  <div role="status">
    <p className="text-quiet">
      {total === 0 ? 'Computing' : `${done.toLocaleString()} of about ${total.toLocaleString()} contacts`}
    </p>
    <progress
      aria-label="Forecast"
      {...(total > 0 && { value: done })}
      max={Math.max(total, 1)}
      className="mt-1 block h-1.5 w-full accent-(--accent)"
    />
  </div>
);

const nameOf = (sequence: Sequence, index: number): string => {
  const { text, channel } = namedStep(sequence.steps[index]?.action);
  return `${index + 1} ${text || channel}`;
};

interface ShownProps {
  sequence: Sequence;
  steps: StepForecast[];
}

const Bars = ({ sequence, steps }: ShownProps) => {
  const hours = steps.flatMap((step) => step.hours ?? []).map(({ at }) => Date.parse(at));
  if (hours.length === 0) return <p className="font-medium">Nothing goes out in the next 7 days.</p>;
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const bucket = last - first < MAX_HOURS_SHOWN * HOUR_MS ? 'hour' : 'day';
  const begin = new Date(first);
  if (bucket === 'day') begin.setHours(0, 0, 0, 0);
  const end = Math.max(last + 1, begin.getTime() + leastMs(bucket));
  const times = bucketsBetween(begin.toISOString(), new Date(end).toISOString(), bucket);
  const begins = times.map((time) => Date.parse(time));
  const series = steps.map((step, index): Series => {
    const values = times.map(() => 0);
    for (const { at, recipients } of step.hours ?? []) {
      const place = begins.findLastIndex((time) => time <= Date.parse(at));
      values[place] = (values[place] ?? 0) + recipients;
    }
    return { name: nameOf(sequence, index), tone: TONES[index % TONES.length] ?? 'accent', values };
  });
  return (
    <Chart
      label={`Messages in the next 7 days, by the ${bucket} and the step`}
      times={times}
      series={series}
      shownTime={bucket === 'day' ? shownShortDay : shownMoment}
    />
  );
};

const Steps = ({ sequence, steps }: ShownProps) => (
  <ul className="space-y-2">
    {steps.map((step) => (
      <li key={step.index}>
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{nameOf(sequence, step.index)}</span>
          <span>
            {step.recipients.toLocaleString()} {step.recipients === 1 ? 'contact gets' : 'contacts get'} it
          </span>
          {step.at !== null && step.last_at !== null && (
            <span className="text-quiet">
              {shownMoment(step.at)}
              {step.last_at !== step.at && ` to ${shownMoment(step.last_at)}`}
            </span>
          )}
        </p>
        {[
          ...step.held.map(
            ({ gate, count }) => `${count.toLocaleString()} wait for ${(GATES[gate] ?? gate).toLowerCase()}`,
          ),
          ...step.skipped.map(({ reason, count }) => `${count.toLocaleString()} skipped: ${skipReasonOf(reason)}`),
        ].map((line) => (
          <p key={line} className="text-xs text-quiet">
            {line}
          </p>
        ))}
      </li>
    ))}
  </ul>
);
