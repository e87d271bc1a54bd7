import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { PartsBar } from '../../../ui/charts/parts-bar';
import { Section } from '../../../ui/section';
import { shownMinutes } from '../../../ui/times/moments';
import { funnelOf, namedStep } from '../words';

type Sequence = Schemas['Sequence'];
type Stats = Schemas['SequenceStats'];
type StepStats = Stats['steps'][number];

interface FunnelProps {
  sequence: Sequence;
  stats: Stats | undefined;
}

/** What has become of the messages of each step. Each number leads to its list. */
export const Funnel = ({ sequence, stats }: FunnelProps) => (
  <Section title="Steps" actions={stats !== undefined && <Enrolled stats={stats} />}>
    <ol>
      {sequence.steps.map((step, index) => (
        <Step
          key={step.id}
          sequenceId={sequence.id}
          index={index}
          step={step}
          stats={stats?.steps.find(({ id }) => id === step.id)}
        />
      ))}
    </ol>
    {stats !== undefined && stats.audience.left_out > 0 && (
      <p className="border-t border-line px-4 py-2 text-quiet">
        {stats.audience.left_out.toLocaleString()}
        {stats.audience.is_at_least && '+'} who match now are not enrolled: {withoutCall(stats.audience.reason)}
      </p>
    )}
  </Section>
);

/** The page has the button of the call that the API names. */
const withoutCall = (reason: string | null): string => (reason ?? '').replace(/: (?:GET|POST|PUT|PATCH) \/.*$/, '');

const Enrolled = ({ stats: { enrollments } }: { stats: Stats }) => (
  <span className="text-xs text-quiet">
    {(['active', 'complete', 'exited', 'canceled'] as const)
      .filter((name) => enrollments[name] > 0)
      .map((name) => `${enrollments[name].toLocaleString()} ${name}`)
      .join(' · ')}
  </span>
);

interface StepProps {
  sequenceId: string;
  index: number;
  step: Sequence['steps'][number];
  stats: StepStats | undefined;
}

const Step = ({ sequenceId, index, step, stats }: StepProps) => {
  const { channel, text } = namedStep(step.action);
  return (
    <li className="border-b border-line px-4 py-2.5 last:border-0">
      <div className="flex items-baseline gap-2">
        <span className="w-4 shrink-0 text-right text-quiet tabular-nums">{index + 1}</span>
        <span className="min-w-0 flex-1 truncate">
          <span className="font-medium">{text || channel}</span>
          <span className="text-quiet">
            {text && ` · ${channel}`} · {waitBefore(step.delay_in_minutes, index)}
          </span>
        </span>
      </div>
      <div className="mt-1.5 pl-6">
        <PartsBar label={`Step ${index + 1}`} parts={stats === undefined ? [] : funnelOf(stats)} />
        {stats !== undefined && <Numbers sequenceId={sequenceId} step={stats} />}
      </div>
    </li>
  );
};

function waitBefore(minutes: number, index: number): string {
  if (minutes === 0) return index === 0 ? 'at once' : 'right after';
  return `${shownMinutes(minutes)} ${index === 0 ? 'after the enrollment' : 'later'}`;
}

const LINK = 'inline-block py-0.5 hover:underline';

const Numbers = ({ sequenceId, step }: { sequenceId: string; step: StepStats }) => {
  const toDeliveries = (outcome: 'sent' | 'delivered' | 'failed' | 'unknown' | 'skipped') => ({
    to: '/outbound/deliveries' as const,
    search: { sequence_id: sequenceId, step_id: step.id, outcome },
  });
  const numbers = [
    { name: 'due', count: step.due, link: undefined },
    { name: 'sent', count: step.sent, link: toDeliveries('sent') },
    { name: 'delivered', count: step.delivered, link: toDeliveries('delivered') },
    { name: 'failed', count: step.failed, link: toDeliveries('failed') },
    { name: 'skipped', count: step.skipped, link: toDeliveries('skipped') },
    { name: 'unknown', count: step.unknown, link: toDeliveries('unknown') },
  ];
  return (
    <p className="mt-1 flex flex-wrap gap-x-3 text-xs">
      {numbers
        .filter(({ count, name }) => count > 0 || name === 'due' || name === 'sent')
        .map(({ name, count, link }) => (
          <Link
            key={name}
            className={LINK}
            {...(link ?? {
              to: '/outbound/$sequenceId',
              params: { sequenceId },
              search: { step_id: step.id, status: 'active' },
            })}
          >
            <span className="tabular-nums">{count.toLocaleString()}</span> <span className="text-quiet">{name}</span>
          </Link>
        ))}
    </p>
  );
};
