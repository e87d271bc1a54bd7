import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { collectionsQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Dialog } from '../../../ui/dialogs/dialog';
import { type FormRequest, useFormRequest } from '../../../ui/dialogs/request';
import { FIELD } from '../../../ui/forms/fields';
import { Button, failureOf, Skeleton } from '../../../ui/parts';

type Collection = Schemas['TrainingDirectory'];

/** The collections of articles: to add, rename and delete them. */
export const Collections = ({ mayWrite, onClose }: { mayWrite: boolean; onClose: () => void }) => {
  const client = useQueryClient();
  const list = useQuery(collectionsQuery);
  const onSettled = () => client.invalidateQueries({ queryKey: ['listTrainingDirectories'] });
  const add = useMutation({
    mutationFn: (name: string) => dataOf(api.POST('/training/directories', { body: { name } })),
    onSettled,
  });
  return (
    <Dialog title="Collections" className="w-[30rem]" onClose={onClose}>
      {list.isPending && <Skeleton rows={3} />}
      {failureOf(list)}
      {list.data?.length === 0 && <p className="mb-3 text-quiet">Articles can be grouped by collections.</p>}
      <ul aria-label="Collections" className="mb-3 space-y-2">
        {list.data?.map((collection) => (
          <Row
            key={collection.id}
            collection={collection}
            mayWrite={mayWrite}
            onClose={onClose}
            onSettled={onSettled}
          />
        ))}
      </ul>
      {mayWrite && (
        <NameForm
          label="Name of a new collection"
          action="Add"
          request={add}
          onSubmit={(name, form) => add.mutate(name, { onSuccess: () => nameIn(form) === name && form.reset() })}
        />
      )}
    </Dialog>
  );
};

interface RowProps {
  collection: Collection;
  mayWrite: boolean;
  onClose: () => void;
  onSettled: () => Promise<void>;
}

const Row = ({ collection: { id, name }, mayWrite, onClose, onSettled }: RowProps) => {
  const [asked, ask] = useState<'rename' | 'delete'>();
  const params = { path: { id } };
  const rename = useMutation({
    mutationFn: (body: { name: string }) => dataOf(api.PATCH('/training/directories/{id}', { params, body })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/training/directories/{id}', { params })),
    onError: (error) => say(error.message, { isError: true }),
    onSettled,
  });
  if (asked === 'rename')
    return (
      <li>
        <NameForm
          label={`Name of ${name}`}
          action="Rename"
          value={name}
          request={rename}
          onSubmit={(value) => rename.mutate({ name: value }, { onSuccess: () => ask(undefined) })}
          onLeave={() => ask(undefined)}
        />
      </li>
    );
  return (
    <li className="flex items-center gap-2">
      <Link
        to="/knowledge"
        search={{ collection: id }}
        onClick={onClose}
        className="min-w-0 flex-1 truncate text-link hover:underline"
      >
        {name}
      </Link>
      {mayWrite && (
        <>
          <Button look="quiet" aria-label={`Rename ${name}`} onClick={() => ask('rename')}>
            Rename
          </Button>
          <Button look="quiet" aria-label={`Delete ${name}`} onClick={() => ask('delete')}>
            Delete
          </Button>
        </>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={`Delete the collection “${name}”`}
          action="Delete"
          onConfirm={() => remove.mutate()}
          onClose={() => ask(undefined)}
        >
          Its articles stay, and are then in no collection.
        </ConfirmDialog>
      )}
    </li>
  );
};

interface NameProps {
  label: string;
  action: string;
  value?: string;
  request: FormRequest;
  onSubmit: (name: string, form: HTMLFormElement) => void;
  /** Leaves it without a change. */
  onLeave?: () => void;
}

const nameIn = (form: HTMLFormElement): string => String(new FormData(form).get('name')).trim();

const NameForm = ({ label, action, value, request, onSubmit, onLeave }: NameProps) => {
  const part = useFormRequest(request);
  return (
    <form
      ref={part}
      className="flex flex-wrap gap-2"
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        const name = nameIn(event.currentTarget);
        if (name !== '') onSubmit(name, event.currentTarget);
      }}
    >
      <input
        name="name"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        required
        maxLength={200}
        className={`${FIELD} min-w-0 flex-1`}
      />
      <Button type="submit" className="h-9" disabled={request.isPending}>
        {action}
      </Button>
      {onLeave !== undefined && (
        <Button look="quiet" className="h-9" onClick={onLeave}>
          Cancel
        </Button>
      )}
      {request.error !== null && (
        <p role="alert" className="basis-full text-bad-text">
          {request.error.message}
        </p>
      )}
    </form>
  );
};
