import type { ReactNode } from 'react';
import { Button } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { type RowActions, useRowActions } from './row-actions';
import { Rows } from './rows';
import { SettingsPage } from './settings-page';

interface ListPageProps<Item> extends RowActions<Item> {
  title: string;
  query: { data: Item[] | undefined; error: Error | null; isPending: boolean; refetch: () => Promise<unknown> };
  /** Whether items can be changed: all of them, or which. */
  mayWrite: boolean | ((item: Item) => boolean);
  /** The words of the button for a new one: New tag. */
  add?: string;
  /** What is said above the list. */
  above?: ReactNode;
  /** The words of an empty list. */
  empty?: ReactNode;
  keyOf: (item: Item) => string;
  /** What an item says: in a row, or in a section under its name. */
  row?: (item: Item) => ReactNode;
  section?: (item: Item) => ReactNode;
  children?: ReactNode;
}

/** A page of the settings that is a short list: items are made, changed and deleted by dialogs. */
export const ListPage = <Item,>(props: ListPageProps<Item>) => {
  const { title, query, mayWrite, keyOf, nameOf, row, section } = props;
  const { add, actionsOf, dialogs } = useRowActions(props);
  const items = query.data ?? [];
  const actions = (item: Item) => (typeof mayWrite === 'function' ? mayWrite(item) : mayWrite) && actionsOf(item);
  return (
    <SettingsPage
      title={title}
      query={query}
      actions={
        props.add !== undefined &&
        mayWrite && (
          <Button look="main" onClick={add}>
            {props.add}
          </Button>
        )
      }
    >
      {props.above}
      {query.data?.length === 0 && props.empty}
      {row !== undefined && items.length > 0 && (
        <Rows label={title} items={items} keyOf={keyOf} actions={mayWrite && actions}>
          {row}
        </Rows>
      )}
      {section !== undefined &&
        items.map((item) => (
          <Section key={keyOf(item)} title={nameOf(item)} actions={actions(item)}>
            {section(item)}
          </Section>
        ))}
      {props.children}
      {dialogs}
    </SettingsPage>
  );
};
