import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { useChange } from './use-change';

export interface RowActions<Item> {
  nameOf: (item: Item) => string;
  /** What else can be done with an item. */
  more?: ((item: Item) => ReactNode) | undefined;
  /** The form of an item, or of a new one. */
  form: (existing: Item | undefined, onClose: () => void) => ReactNode;
  remove: {
    /** What is deleted: the tag. */
    what: string;
    /** What comes of it. */
    says: ReactNode | ((item: Item) => ReactNode);
    run: (item: Item) => Promise<unknown>;
    stale: QueryKey[];
  };
}

/** Returns what is done with the items of a list: they are made, changed and deleted by `dialogs`. */
export function useRowActions<Item>({ nameOf, more, form, remove }: RowActions<Item>) {
  const [changed, change] = useState<Item | 'new'>();
  const [deleted, askToDelete] = useState<Item>();
  const { mutate } = useChange(remove.run, { stale: remove.stale, says: 'Deleted', isQuick: true });
  return {
    add: () => change('new'),
    actionsOf: (item: Item) => (
      <>
        {more?.(item)}
        <Button aria-label={`Change ${nameOf(item)}`} onClick={() => change(item)}>
          Change
        </Button>
        <Button look="quiet" aria-label={`Delete ${nameOf(item)}`} onClick={() => askToDelete(item)}>
          Delete
        </Button>
      </>
    ),
    dialogs: (
      <>
        {changed !== undefined && form(changed === 'new' ? undefined : changed, () => change(undefined))}
        {deleted !== undefined && (
          <ConfirmDialog
            title={`Delete ${nameOf(deleted)}`}
            action={`Delete ${remove.what}`}
            onConfirm={() => mutate(deleted)}
            onClose={() => askToDelete(undefined)}
          >
            {typeof remove.says === 'function' ? remove.says(deleted) : remove.says}
          </ConfirmDialog>
        )}
      </>
    ),
  };
}
