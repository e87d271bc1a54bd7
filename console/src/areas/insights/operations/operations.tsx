import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../../../api/client';
import { insightQuery, type Operation, operationsQuery } from '../../../api/insights';
import { useMay } from '../../../api/may';
import { say } from '../../../app/undo';
import { ShowMore } from '../../../ui/lists/show-more';
import { Page, PageBody } from '../../../ui/page';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { InsightTabs } from '../tabs';
import { useChange } from '../use-change';

/** The merges and splits that were done, each with its undo. */
export const Operations = () => {
  const list = useInfiniteQuery(operationsQuery());
  const mayWrite = useMay('insights:write');
  const operations = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page title="Insights" tabs={<InsightTabs />}>
      <PageBody label="Insights that were changed">
        <div className="mx-auto max-w-220">
          <Section title="Merges and splits">
            {list.isPending && <Skeleton rows={4} />}
            {failureOf(list)}
            {list.data !== undefined && operations.length === 0 && (
              <Empty title="Nothing was merged or split">What is done is listed here, and can be undone.</Empty>
            )}
            <ul aria-label="Merges and splits">
              {operations.map((operation) => (
                <Row key={operation.id} operation={operation} mayWrite={mayWrite} />
              ))}
            </ul>
            <ShowMore query={list} look="quiet" className="m-2" />
          </Section>
        </div>
      </PageBody>
    </Page>
  );
};

const Row = ({ operation, mayWrite }: { operation: Operation; mayWrite: boolean }) => {
  const { id, kind, insight_id, other_id, created_at, undone_at } = operation;
  const undo = useChange({
    isQuick: true,
    run: () => dataOf(api.POST('/insights/operations/{operationId}/undo', { params: { path: { operationId: id } } })),
    onDone: () => say('It is undone'),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <Chip>{kind === 'merge' ? 'Merge' : 'Split'}</Chip>
      <p className="min-w-0 flex-1 basis-64">
        {kind === 'merge' ? 'Another insight became part of ' : <NameOf id={insight_id} />}
        {kind === 'split' && ' was taken from '}
        <NameOf id={other_id} />
      </p>
      <span className="text-xs text-quiet">
        <Ago at={created_at} />
        {undone_at !== null && (
          <>
            , undone <Ago at={undone_at} />
          </>
        )}
      </span>
      {mayWrite && undone_at === null && (
        <Button disabled={undo.isPending} onClick={() => undo.mutate()}>
          Undo
        </Button>
      )}
    </li>
  );
};

const NameOf = ({ id }: { id: string }) => {
  const insight = useQuery({ ...insightQuery(id), staleTime: 60_000 }).data;
  return (
    <Link to="/insights/$insightId" params={{ insightId: id }} className="text-link hover:underline">
      {insight === undefined ? '…' : `#${insight.number} ${insight.content}`}
    </Link>
  );
};
