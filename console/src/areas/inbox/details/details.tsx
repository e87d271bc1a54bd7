import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { lazily } from '../../../ui/lazily';
import { Avatar } from '../../../ui/parts';
import type { Actions } from '../actions';
import { visitorNameOf } from '../visitor-name';

const HandoffCard = lazily(async () => (await import('../thread/handoff-card')).HandoffCard);

interface CardProps {
  session: Schemas['ChatSession'];
  actions: Actions;
  canWrite: boolean;
}

/** The contact of the conversation, and all known data. */
export const Details = ({ session, actions, canWrite }: CardProps) => {
  const { contact, handoff } = session;
  const maySeeContacts = useMay('contacts:read');
  return (
    <>
      <div className="flex items-center gap-2">
        <Avatar name={visitorNameOf(session)} />
        <h3 className="truncate font-semibold">{visitorNameOf(session)}</h3>
      </div>
      {contact != null && maySeeContacts && (
        <Link
          to="/contacts/$contactId"
          params={{ contactId: contact.id }}
          search={{}}
          className="mt-2 block text-link underline"
        >
          All about this contact
        </Link>
      )}
      <Facts facts={{ Email: contact?.email, Phone: contact?.phone_number, Language: session.language }} />
      <Tags tags={session.tags} actions={actions} canWrite={canWrite} />
      {handoff !== null && <HandoffCard handoff={handoff} actions={actions} canWrite={canWrite} />}
      <Facts title="About the contact" facts={contact?.custom_data ?? {}} />
      <Facts title="About the conversation" facts={{ ...session.custom_data, ...session.editable_custom_data }} />
      {session.summary !== null && (
        <Facts title="Summary" facts={{ [session.summary_by ?? 'Summary']: session.summary }} />
      )}
    </>
  );
};

const HEADING = 'mt-5 mb-1 text-xs font-semibold text-quiet';

const Facts = ({ title, facts }: { title?: string; facts: Record<string, string | null | undefined> }) => {
  const known = Object.entries(facts).filter(([, value]) => value);
  if (known.length === 0) return null;
  return (
    <>
      {title !== undefined && <h4 className={HEADING}>{title}</h4>}
      <dl className="mt-3 space-y-1.5">
        {known.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-quiet">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
};

const Tags = ({ tags, actions, canWrite }: { tags: string[] } & Pick<CardProps, 'actions' | 'canWrite'>) =>
  tags.length === 0 ? null : (
    <>
      <h4 className={HEADING}>Tags</h4>
      <ul className="flex flex-wrap gap-1">
        {tags.map((tag) => (
          <li key={tag} className="inline-flex max-w-full items-center rounded bg-sunken px-2 text-xs">
            <span className="truncate py-1">{tag}</span>
            {canWrite && (
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                className="-mr-2 grid size-6 place-items-center rounded hover:bg-hover"
                onClick={() => actions.removeTag(tag)}
              >
                <X size={12} />
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
