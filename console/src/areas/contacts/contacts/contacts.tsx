import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { contactsQuery } from '../../../api/overview';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar } from '../../../ui/lists/filter-bar';
import { Page } from '../../../ui/page';
import { Button, Empty, lookOf } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { contactNameOf } from '../names';

type Contact = Schemas['Contact'];

const MAX_FOUND = 100;

/** All contacts, or those most like what was searched for. */
export const Contacts = () => {
  const search = useSearch({ from: '/contacts' });
  const navigate = useNavigate();
  const mayImport = useMay('contacts:write');
  const list = useInfiniteQuery(contactsQuery(search.q));
  const isCut = search.q !== undefined && list.data?.pages[0]?.items.length === MAX_FOUND;
  const show = (filters: typeof search) => void navigate({ to: '/contacts', search: filters });
  return (
    <Page
      title="Contacts"
      actions={
        mayImport && (
          <Link to="/settings/data" className={lookOf('plain')}>
            Import
          </Link>
        )
      }
    >
      <FilterBar search={search} fields={[]} searched="Name, e-mail or phone number" onChange={show} />
      {isCut && (
        <p role="status" className="border-b border-line px-4 py-2 text-quiet">
          These are the {MAX_FOUND} most alike. More letters find others.
        </p>
      )}
      <DataList
        label="Contacts"
        query={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/contacts/$contactId', params: { contactId: id }, search: {} })}
        empty={
          search.q === undefined ? (
            <Empty title="No contact yet">
              Contacts come by conversations, by <code>POST /contacts</code>, and from CSV files.
              {mayImport && (
                <>
                  <br />
                  <Link to="/settings/data" className={`${lookOf('main')} mt-3`}>
                    Import contacts
                  </Link>
                </>
              )}
            </Empty>
          ) : (
            <Empty title="Nobody was found">
              No contact is called that, or spelled like it.
              <br />
              <Button className="mt-3" onClick={() => show({})}>
                Show all contacts
              </Button>
            </Empty>
          )
        }
      />
    </Page>
  );
};

const COLUMNS: Column<Contact>[] = [
  {
    name: 'Name',
    track: 'minmax(0,1.2fr)',
    narrow: 'line',
    cell: (contact) => <span className="block truncate">{contactNameOf(contact)}</span>,
  },
  {
    name: 'E-mail',
    track: 'minmax(0,1.4fr)',
    cell: ({ email }) => <span className="block truncate">{email}</span>,
  },
  { name: 'Phone', track: '10rem', cell: ({ phone }) => phone },
  {
    name: 'Id elsewhere',
    track: 'minmax(0,1fr)',
    narrow: 'hidden',
    cell: ({ external_id }) => <span className="block truncate">{external_id}</span>,
  },
  { name: 'Changed', track: '7rem', cell: ({ updated_at }) => <Ago at={updated_at} /> },
];
