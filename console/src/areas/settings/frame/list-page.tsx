import type { QueryKey, UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Rows } from './rows';
import { SettingsPage } from './settings-page';
import { useChange } from './use-change';

interface ListPageProps<Item> {
  title: string;
  query: Pick<UseQueryResult<Item[]>, 'data' | 'error' | 'isPending' | 'refetch'>;
  mayWrite: boolean;
  /** What the button says that makes a new one: New tag. */
  add: string;
  /** What is said where there is none. */
  empty: ReactNode;
  keyOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  /** What an item says: in a row, or in a section under its name. */
  row?: (item: Item) => ReactNode;
  section?: (item: Item) => ReactNode;
  /** What else can be done with an item. */
  more?: (item: Item) => ReactNode;
  /** The form of an item, or of a new one. */
  form: (existing: Item | undefined, onClose: () => void) => ReactNode;
  remove: {
    /** What is deleted: the tag. */
    what: string;
    /** What comes of it. */
    says: ReactNode;
    run: (item: Item) => Promise<unknown>;
    stale: QueryKey[];
  };
  children?: ReactNode;
}

/** A page of the settings that is a short list: items are made, changed and deleted by dialogs. */
export const ListPage = <Item,>(props: ListPageProps<Item>) => {
  const { title, query, mayWrite, add, empty, keyOf, nameOf, row, section, form, children } = props;
  const [changed, change] = useState<Item | 'new'>();
  const [deleted, askToDelete] = useState<Item>();
  const remove = useChange(props.remove.run, { stale: props.remove.stale, says: 'Deleted', isQuick: true });
  const items = query.data ?? [];
  const actionsOf = (item: Item) => (
    <>
      {props.more?.(item)}
      <Button aria-label={`Change ${nameOf(item)}`} onClick={() => change(item)}>
        Change
      </Button>
      <Button look="quiet" aria-label={`Delete ${nameOf(item)}`} onClick={() => askToDelete(item)}>
        Delete
      </Button>
    </>
  );
  const actions = mayWrite ? actionsOf : undefined;
  return (
    <SettingsPage
      title={title}
      query={query}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => change('new')}>
            {add}
          </Button>
        )
      }
    >
      {query.data?.length === 0 && empty}
      {row !== undefined && items.length > 0 && (
        <Rows label={title} items={items} keyOf={keyOf} actions={actions}>
          {row}
        </Rows>
      )}
      {section !== undefined &&
        items.map((item) => (
          <Section key={keyOf(item)} title={nameOf(item)} actions={actions?.(item)}>
            {section(item)}
          </Section>
        ))}
      {children}
      {changed !== undefined && form(changed === 'new' ? undefined : changed, () => change(undefined))}
      {deleted !== undefined && (
        <ConfirmDialog
          title={`Delete ${nameOf(deleted)}`}
          action={`Delete ${props.remove.what}`}
          onConfirm={() => remove.mutate(deleted)}
          onClose={() => askToDelete(undefined)}
        >
          {props.remove.says}
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
};
