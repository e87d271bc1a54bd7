import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { insightQuery, isReviewAwaited, proposalsQuery } from '../../../api/insights';
import { useMay } from '../../../api/may';
import { say } from '../../../app/undo';
import { Page, PageBody } from '../../../ui/page';
import { Button, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { MergeDialog } from '../insights/merge-dialog';
import { InsightTabs } from '../tabs';
import { useChange } from '../use-change';

type Proposal = Schemas['InsightProposal'];

/** Pairs of insights that may be the same, to merge or to dismiss. */
export const Proposals = () => {
  const mayWrite = useMay('insights:write');
  const list = useQuery(proposalsQuery);
  const [merged, merge] = useState<Proposal>();
  const review = useChange({
    isQuick: true,
    run: () => dataOf(api.POST('/insights/proposals/run')),
    onDone: () => say('The insights are reviewed'),
  });
  const isAwaited = list.data !== undefined && isReviewAwaited(list.data);
  return (
    <Page
      title="Insights"
      tabs={<InsightTabs />}
      actions={
        mayWrite && (
          <Button disabled={review.isPending || isAwaited} onClick={() => review.mutate()}>
            {isAwaited ? 'Reviewing…' : 'Review now'}
          </Button>
        )
      }
    >
      <PageBody label="Proposed merges">
        <div className="mx-auto max-w-220">
          <Section title="May be the same">
            {list.isPending && <Skeleton rows={4} />}
            {failureOf(list)}
            {list.data?.items.length === 0 && (
              <Empty title="Nothing is proposed">
                {list.data.reviewed_at === null ? (
                  'Insights that are alike are looked for each week.'
                ) : (
                  <>
                    Looked for <Ago at={list.data.reviewed_at} />.
                  </>
                )}
              </Empty>
            )}
            <ul aria-label="Proposed merges">
              {list.data?.items.map((proposal) => (
                <Row key={proposal.id} proposal={proposal} mayWrite={mayWrite} onMerge={() => merge(proposal)} />
              ))}
            </ul>
          </Section>
        </div>
      </PageBody>
      {merged !== undefined && <ProposedMerge proposal={merged} onClose={() => merge(undefined)} />}
    </Page>
  );
};

interface RowProps {
  proposal: Proposal;
  mayWrite: boolean;
  onMerge: () => void;
}

const Row = ({ proposal: { id, insight, other, similarity }, mayWrite, onMerge }: RowProps) => {
  const dismiss = useChange({
    isQuick: true,
    run: () => dataOf(api.POST('/insights/proposals/{proposalId}/dismiss', { params: { path: { proposalId: id } } })),
    onDone: () => say('It is not proposed again'),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        {[insight, other].map((one) => (
          <Link
            key={one.id}
            to="/insights/$insightId"
            params={{ insightId: one.id }}
            className="flex min-h-6 items-center gap-1.5 hover:underline"
          >
            <span className="text-quiet tabular-nums">#{one.number}</span>
            <span className="min-w-0 break-words">{one.content}</span>
          </Link>
        ))}
      </div>
      <span className="text-xs text-quiet">{Math.round(similarity * 100)}% alike</span>
      {mayWrite && (
        <span className="flex gap-2">
          <Button onClick={onMerge} aria-label={`Merge ${insight.content} and ${other.content}`}>
            Merge
          </Button>
          <Button
            look="quiet"
            disabled={dismiss.isPending}
            aria-label={`Dismiss ${insight.content} and ${other.content}`}
            onClick={() => dismiss.mutate()}
          >
            Not the same
          </Button>
        </span>
      )}
    </li>
  );
};

/** Reads both insights: their numbers of conversations help to choose. */
const ProposedMerge = ({ proposal: { insight, other }, onClose }: { proposal: Proposal; onClose: () => void }) => {
  const [one, another] = [useQuery(insightQuery(insight.id)).data, useQuery(insightQuery(other.id)).data];
  if (one === undefined || another === undefined) return null;
  return <MergeDialog insights={[one, another]} onMerged={onClose} onClose={onClose} />;
};
