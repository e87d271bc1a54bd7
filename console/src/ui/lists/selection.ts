import { useState } from 'react';

export interface Selection {
  ids: ReadonlySet<string>;
  /** Whether all rows of the view are meant, also those not read yet. */
  isAll: boolean;
  size: number;
  add: (...ids: string[]) => void;
  toggle: (id: string) => void;
  /** Selects from the row that was toggled last to this one. */
  extendTo: (id: string) => void;
  addAll: () => void;
  clear: () => void;
}

interface State {
  /** The list that it is in: another one begins with nothing selected. */
  of: string;
  ids: ReadonlySet<string>;
  isAll: boolean;
  last: string | undefined;
}

const NOTHING = { ids: new Set<string>(), isAll: false, last: undefined };

/** The selected rows of a list. A row that leaves it is no longer selected. */
export function useSelection(rows: { id: string }[], { isActive, of }: { isActive: boolean; of: string }): Selection {
  const [stored, setState] = useState<State>({ ...NOTHING, of });
  const state = stored.of === of ? stored : { ...NOTHING, of };
  const listed = rows.map(({ id }) => id);
  const ids = new Set(state.isAll ? listed : listed.filter((id) => state.ids.has(id)));
  const select = (change: (ids: Set<string>) => void, last?: string) => {
    if (!isActive) return;
    const changed = new Set(ids);
    change(changed);
    setState({ ids: changed, isAll: false, last, of });
  };
  return {
    ids,
    isAll: state.isAll,
    size: ids.size,
    add: (...added) => select((set) => addTo(set, added), added.at(-1)),
    toggle: (id) => select((set) => set.delete(id) || set.add(id), id),
    extendTo: (id) => select((set) => addTo(set, between(listed, state.last ?? id, id)), id),
    addAll: () => isActive && setState({ ids: new Set(listed), isAll: true, last: undefined, of }),
    clear: () => setState({ ...NOTHING, of }),
  };
}

function addTo(set: Set<string>, ids: string[]): void {
  for (const id of ids) set.add(id);
}

function between(ids: string[], one: string, other: string): string[] {
  const [first = 0, last = 0] = [ids.indexOf(one), ids.indexOf(other)].toSorted((a, b) => a - b);
  return ids.slice(Math.max(first, 0), last + 1);
}
