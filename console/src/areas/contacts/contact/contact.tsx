import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ApiError } from '../../../api/client';
import { contactQuery } from '../../../api/overview';
import { Page, PageBody } from '../../../ui/page';
import { Empty, failureOf } from '../../../ui/parts';
import { WaitingPage } from '../../../ui/query-page';
import { TitlePath } from '../../../ui/title-path';
import { contactNameOf } from '../names';
import { ContactCard, useMayMerge } from './card';
import { MergeDialog } from './merge/merge-dialog';
import { Timeline } from './timeline';

/** A contact: its fields and its history. */
export const ContactPage = () => {
  const { contactId } = useParams({ from: '/contacts/$contactId' });
  const { merge } = useSearch({ from: '/contacts/$contactId' });
  const mayMerge = useMayMerge();
  const query = useQuery(contactQuery(contactId));
  const gone = query.error instanceof ApiError && query.error.status === 404 ? query.error : undefined;
  const current = gone && currentIdIn(gone);
  if (current !== undefined) return <Merged into={current} />;
  if (query.data === undefined || gone !== undefined)
    return <WaitingPage title="Contact" query={query} missing="There is no such contact" />;
  const name = contactNameOf(query.data);
  return (
    <Page title={<TitlePath above="Contacts" to="/contacts" title={name} />}>
      <PageBody label={name}>
        {failureOf(query)}
        <div className="grid items-start gap-3 min-[1100px]:grid-cols-[22rem_minmax(0,1fr)]">
          <ContactCard key={contactId} contact={query.data} />
          <Timeline id={contactId} />
        </div>
        {merge !== undefined && mayMerge && <MergeDialog contact={query.data} other={merge} />}
      </PageBody>
    </Page>
  );
};

/** Returns the contact that another one was merged into, as the API names it. */
function currentIdIn({ body }: ApiError): string | undefined {
  const { code, conflicting } = body as { code?: string; conflicting?: { id?: unknown } };
  return code === 'contact_merged' && typeof conflicting?.id === 'string' ? conflicting.id : undefined;
}

const Merged = ({ into }: { into: string }) => (
  <Page title="Contact">
    <Empty title="This contact was merged into another one">
      <Link
        to="/contacts/$contactId"
        params={{ contactId: into }}
        search={{}}
        className="inline-flex h-6 items-center text-link underline"
      >
        Show that one
      </Link>
    </Empty>
  </Page>
);
