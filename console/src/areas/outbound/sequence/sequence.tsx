import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isMissing, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { sequenceQuery, statsQuery } from '../../../api/outbound';
import { Page, PageBody } from '../../../ui/page';
import { Chip, Empty, Failure, failureOf, Skeleton } from '../../../ui/parts';
import { ShortId } from '../../../ui/short-id';
import { OutboundTabs } from '../tabs';
import { SEQUENCE_STATUSES } from '../words';
import { Audience } from './audience';
import { Controls } from './controls';
import { Course } from './course';
import { Enrollments } from './enrollments';
import { Forecast } from './forecast';
import { Funnel } from './funnel';
import { Gates } from './gates';
import { WhyNot } from './why-not';

/** A sequence: how far it is, who is in it, and why somebody did not get it. */
export const SequencePage = () => {
  const { sequenceId } = useParams({ from: '/outbound/$sequenceId' });
  const sequence = useQuery(sequenceQuery(sequenceId));
  if (sequence.data !== undefined) return <Opened key={sequence.data.id} sequence={sequence.data} />;
  const isGone = isMissing(sequence.error);
  return (
    <Page title="Sequence" tabs={<OutboundTabs />}>
      {isGone && <Empty title="There is no such sequence">It may have been deleted.</Empty>}
      {sequence.error !== null && !isGone && <Failure error={sequence.error} onRetry={() => void sequence.refetch()} />}
      {sequence.isPending && <Skeleton rows={6} />}
    </Page>
  );
};

const Opened = ({ sequence }: { sequence: Schemas['Sequence'] }) => {
  const { id, name, status, paused_reason } = sequence;
  const stats = useQuery(statsQuery(id, status === 'active' || status === 'paused'));
  const mayWrite = useMay('sequences:write');
  const hasBegun = status !== 'pending';
  const isOpen = status !== 'complete' && status !== 'canceled';
  return (
    <Page
      title={
        <span className="flex items-center gap-2">
          <Link to="/outbound" className="shrink-0 text-quiet hover:text-text max-[899px]:hidden">
            Outbound /
          </Link>
          <span className="truncate">{name}</span>
        </span>
      }
      actions={mayWrite && <Controls sequence={sequence} audience={stats.data?.audience} />}
      tabs={<OutboundTabs />}
    >
      <PageBody label={name}>
        <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-quiet">
          <Chip tone={SEQUENCE_STATUSES[status].tone}>{SEQUENCE_STATUSES[status].name}</Chip>
          <span>{sequence.is_continuous ? 'Enrolls whoever begins to match' : 'One-off'}</span>
          <ShortId id={id} />
        </p>
        <p className="mb-3 break-words">
          <span className="text-quiet">
            {sequence.is_continuous ? 'Who gets it once they begin to match:' : 'Who gets it:'}
          </span>{' '}
          <Audience filter={sequence.filter} />
        </p>
        {paused_reason !== null && (
          <p role="status" className="mb-3 rounded-md bg-warn p-3 text-warn-text">
            It has paused itself: {paused_reason}
          </p>
        )}
        {failureOf(stats)}
        <div className="grid items-start gap-3 min-[1100px]:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="grid min-w-0 gap-3">
            <Funnel sequence={sequence} stats={stats.data} />
            {hasBegun && <Course id={id} />}
            {isOpen && (
              // One of before the start says nothing of what goes out from now on.
              <Forecast key={hasBegun ? 'begun' : 'pending'} sequence={sequence} />
            )}
          </div>
          <div className="grid min-w-0 gap-3 min-[1100px]:row-span-2">
            <WhyNot sequence={sequence} />
            <Gates sequence={sequence} held={stats.data?.held ?? []} mayWrite={mayWrite} />
          </div>
          <Enrollments sequence={sequence} stats={stats.data} />
        </div>
      </PageBody>
    </Page>
  );
};
