import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { contactsQuery } from '../../../../api/overview';
import { FIELD, Field } from '../../../../ui/forms/fields';
import { Empty, failureOf, Skeleton } from '../../../../ui/parts';
import { useSettled } from '../../../../ui/use-settled';
import { contactNameOf } from '../../names';

interface ChooseProps {
  notThis: string;
  onChoose: (id: string) => void;
}

/** Finds the contact that is merged into the one of the page. */
export const ChooseContact = ({ notThis, onChoose }: ChooseProps) => {
  const [text, setText] = useState('');
  const sought = text.trim();
  const settled = useSettled(sought);
  const query = useInfiniteQuery(contactsQuery(settled || undefined));
  const isOfThis = settled === sought; // what an earlier text found is not offered for this one
  const found = isOfThis ? query.data?.pages[0]?.items.filter(({ id }) => id !== notThis) : undefined;
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <p className="mb-3 text-quiet">
        All that the other contact has becomes this one’s. Nothing is merged before you have seen what that does.
      </p>
      <Field label="Name, e-mail or phone number of the other contact">
        <input
          type="search"
          value={text}
          maxLength={200}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
          className={FIELD}
        />
      </Field>
      <div className="mt-3 min-h-48">
        {isOfThis && failureOf(query)}
        {(query.isPending || !isOfThis) && <Skeleton rows={3} />}
        {found?.length === 0 && (
          <Empty title={sought === '' ? 'There is nobody else' : `Nobody else was found for “${sought}”`} />
        )}
        <ul aria-label="Contacts">
          {found?.map((contact) => (
            <li key={contact.id}>
              <button
                type="button"
                onClick={() => onChoose(contact.id)}
                className="flex w-full flex-wrap gap-x-3 rounded-md px-2 py-2 text-left hover:bg-hover"
              >
                <span className="min-w-0 font-medium break-words">{contactNameOf(contact)}</span>
                <span className="min-w-0 break-all text-quiet">
                  {[contact.email, contact.phone].filter(Boolean).join(' · ')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </form>
  );
};
