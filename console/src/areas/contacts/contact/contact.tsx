import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ApiError } from '../../../api/client';
import { contactQuery } from '../../../api/overview';
import { Page, PageBody } from '../../../ui/page';
import { Failure } from '../../../ui/parts';
import { WaitingPage } from '../../../ui/query-page';
import { TitlePath } from '../../../ui/title-path';
import { contactNameOf } from '../names';
import { ContactCard } from './card';
import { Timeline } from './timeline';

/** A contact: what is known of it, and what happened with it. */
export const ContactPage = () => {
  const { contactId } = useParams({ from: '/contacts/$contactId' });
  const query = useQuery(contactQuery(contactId));
  const isGone = query.error instanceof ApiError && query.error.status === 404;
  if (query.data === undefined || isGone)
    return <WaitingPage title="Contact" query={query} missing="There is no such contact" />;
  const name = contactNameOf(query.data);
  return (
    <Page title={<TitlePath above="Contacts" to="/contacts" title={name} />}>
      <PageBody label={name}>
        {query.error !== null && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        <div className="grid items-start gap-3 min-[1100px]:grid-cols-[22rem_minmax(0,1fr)]">
          <ContactCard key={contactId} contact={query.data} />
          <Timeline id={contactId} />
        </div>
      </PageBody>
    </Page>
  );
};
