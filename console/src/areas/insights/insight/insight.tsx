import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { type Insight, insightQuery } from '../../../api/insights';
import { useMay } from '../../../api/may';
import { Page, PageBody } from '../../../ui/page';
import { Chip } from '../../../ui/parts';
import { WaitingPage } from '../../../ui/query-page';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { TitlePath } from '../../../ui/title-path';
import { SENTIMENTS, STATUSES, shownConversations } from '../words';
import { Actions } from './actions';
import { Keeping } from './keeping';
import { Quotes } from './quotes';

/** An insight: its description, its assignee, and the customers' words. */
export const InsightPage = () => {
  const { insightId } = useParams({ from: '/insights/$insightId' });
  const query = useQuery(insightQuery(insightId));
  const mayWrite = useMay('insights:write');
  if (query.data === undefined) return <WaitingPage title="Insight" query={query} missing="There is no such insight" />;
  const insight = query.data;
  if (insight.id !== insightId)
    return <Navigate to="/insights/$insightId" params={{ insightId: insight.id }} replace />;
  return (
    <Page
      title={<TitlePath to="/insights" above="Insights" title={`#${insight.number} ${insight.content}`} />}
      actions={mayWrite && <Actions insight={insight} />}
    >
      <PageBody label="Insight">
        <div className="mx-auto max-w-220 space-y-3">
          <Section title="What it is">
            <div className="space-y-3 p-4">
              <p className="text-base break-words">{insight.content}</p>
              <Facts insight={insight} />
              <Keeping key={insight.id} insight={insight} mayWrite={mayWrite} />
            </div>
          </Section>
          <Quotes insight={insight} mayWrite={mayWrite} />
        </div>
      </PageBody>
    </Page>
  );
};

const Facts = ({ insight }: { insight: Insight }) => {
  const { status, sentiment, occurrence_count, first_seen_at, last_seen_at } = insight;
  return (
    <div className="space-y-1">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip tone={STATUSES[status].tone}>{STATUSES[status].name}</Chip>
        {sentiment !== null && <Chip tone={SENTIMENTS[sentiment].tone}>{SENTIMENTS[sentiment].name}</Chip>}
        <span>{shownConversations(occurrence_count)}</span>
        {first_seen_at !== null && (
          <span className="text-quiet">
            first said <Ago at={first_seen_at} />
          </span>
        )}
        {last_seen_at !== null && (
          <span className="text-quiet">
            last said <Ago at={last_seen_at} />
          </span>
        )}
      </p>
      {insight.resolved_at !== null && (
        <p className="text-quiet">
          Resolved <Ago at={insight.resolved_at} />. It reopens by itself when a customer says it again.
        </p>
      )}
      {insight.archived_reason !== null && <p className="text-quiet">Archived: {insight.archived_reason}</p>}
      {insight.reopened_because !== null && (
        <p>
          Reopened, because a customer said it again in{' '}
          <Link to="/s/$id" params={{ id: insight.reopened_because }} className="text-link underline">
            this conversation
          </Link>
          .
        </p>
      )}
    </div>
  );
};
