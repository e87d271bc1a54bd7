import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { calibrationQuery, isAwaited } from '../../../api/ai';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { Button, failureOf, Skeleton } from '../../../ui/parts';
import { Progress } from '../../../ui/progress';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';

/** The least confidence of an answer, and its measurement. */
export const Calibration = ({ mayWrite }: { mayWrite: boolean }) => {
  const client = useQueryClient();
  const calibration = useQuery(calibrationQuery);
  const { data } = calibration;
  const run = useMutation({
    mutationFn: () => dataOf(api.POST('/autopilot/calibration/run')),
    onSuccess: (result) => client.setQueryData(calibrationQuery.queryKey, result),
    onError: (error) => say(error.message, { isError: true }),
  });
  return (
    <Section
      title="Calibration"
      actions={
        mayWrite && (
          <Button disabled={run.isPending || isAwaited(data)} onClick={() => run.mutate()}>
            Calibrate now
          </Button>
        )
      }
    >
      <div className="space-y-2 p-4">
        {calibration.isPending && <Skeleton rows={2} />}
        {failureOf(calibration)}
        {isAwaited(data) && (
          <Progress
            says="Own questions are asked, to see which answers are right"
            done={data?.progress ?? 0}
            total={data?.progress == null ? undefined : 1}
          />
        )}
        {data?.reason != null && <p className="break-words text-bad-text">{data.reason}. It is tried again.</p>}
        {data !== undefined && <Measured calibration={data} />}
      </div>
    </Section>
  );
};

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const Measured = ({ calibration }: { calibration: Schemas['AutopilotCalibration'] }) => {
  const { threshold, is_calibrated, measured_at, report } = calibration;
  return (
    <>
      <p>
        It answers from a confidence of <strong className="tabular-nums">{threshold.toFixed(3)}</strong> on.
      </p>
      <p className="text-quiet">
        Confidence says how well what it found fits a question. It is no share: it can be above 1. Questions about your
        own knowledge tell from where on its answers are right.
      </p>
      <p className="text-quiet">
        {measured_at === null ? (
          'Nothing was measured yet.'
        ) : (
          <>
            Measured <Ago at={measured_at} />.
          </>
        )}{' '}
        {!is_calibrated && 'This is the default: there was too little knowledge to measure by.'}
      </p>
      {report !== null && (
        <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-1">
          {(
            [
              ['Questions asked', report.questions.toLocaleString()],
              ['Answered where the knowledge had it', percent(report.answered_share)],
              ['Of them by the right source', report.right_share === null ? '–' : percent(report.right_share)],
              ['Answered where it had not', percent(report.wrong_share)],
              ['Wrong answers it aims at', percent(report.max_wrong)],
              ['Meaning compared as well', report.with_vectors ? 'Yes' : 'No, words alone'],
            ] as const
          ).map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className="text-right tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
};
