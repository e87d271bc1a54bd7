import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { segmentQuery } from '../../../api/outbound';
import { Page, PageBody } from '../../../ui/page';
import { failureOf } from '../../../ui/parts';
import { WaitingPage } from '../../../ui/query-page';
import { ShortId } from '../../../ui/short-id';
import { Ago } from '../../../ui/times/ago';
import { TitlePath } from '../../../ui/title-path';
import { Audience } from '../../outbound/sequence/audience';

/** A segment: who belongs to it, in words. */
export const SegmentPage = () => {
  const { segmentId } = useParams({ from: '/contacts/segments/$segmentId' });
  const query = useQuery(segmentQuery(segmentId));
  if (query.data === undefined) return <WaitingPage title="Segment" query={query} missing="There is no such segment" />;
  const { id, name, filter, updated_at } = query.data;
  return (
    <Page title={<TitlePath above="Contacts" to="/contacts" title={name} />}>
      <PageBody label={name}>
        {failureOf(query)}
        <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-quiet">
          <span>
            Segment, changed <Ago at={updated_at} />
          </span>
          <ShortId id={id} />
        </p>
        <p className="break-words">
          <span className="text-quiet">Who belongs to it:</span> <Audience filter={filter} />
        </p>
      </PageBody>
    </Page>
  );
};
