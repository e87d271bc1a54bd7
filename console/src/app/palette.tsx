import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMatch, useNavigate } from '@tanstack/react-router';
import { CornerDownLeft } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { searchQuery } from '../api/overview';
import { meQuery, ownOrgsQuery, viewsQuery } from '../api/queries';
import { useModal } from '../ui/dialogs/dialog';
import { pressKey } from '../ui/keys';
import { failureOf } from '../ui/parts';
import { useSettled } from '../ui/use-settled';
import { areasOf } from './areas';
import { signOut, switchOrg, THEMES } from './frame/session';
import { KEYBOARD } from './keyboard';
import { linkTo } from './ref-links';
import { say } from './undo';

interface Command {
  /** What tells it from others of its name. */
  id?: string;
  group: string;
  name: string;
  keys?: string;
  run: () => void;
}

interface PaletteProps {
  me: Schemas['Me'];
  onClose: () => void;
  onHelp: () => void;
}

/** One field for everything: a view, a conversation by its number, words to search for, and what can be done. */
export const Palette = ({ me, onClose, onHelp }: PaletteProps) => {
  const dialog = useModal();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const { commands, search } = useCommands(me, { text: text.trim(), onHelp });
  const current = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    dialog.current?.close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) run(commands[current]);
    else setAt((current + step + commands.length) % commands.length);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      ref={dialog}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
      aria-label="Go to, search or do"
      className="mx-auto mt-[12vh] w-xl max-w-[calc(100vw-1.5rem)] overflow-hidden rounded-xl border border-line bg-surface p-0 shadow-2xl"
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={commands.length > 0 ? `${list}-${current}` : undefined}
        aria-label="Go to, search or do"
        placeholder="Go to a view, #12, search, or do something"
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base placeholder:text-quiet focus-visible:outline-none"
      />
      {failureOf(search)}
      <p role="status" className="px-4 text-xs text-quiet not-empty:pt-2">
        {search.isFetching && 'Searching'}
      </p>
      <div id={list} role="listbox" aria-label="Commands" className="max-h-[50vh] overflow-y-auto p-1.5">
        {commands.map((command, n) => (
          <Option
            key={`${command.group} ${command.id ?? command.name}`}
            id={`${list}-${n}`}
            command={command}
            isFirst={command.group !== commands[n - 1]?.group}
            isCurrent={n === current}
            onRun={() => run(command)}
          />
        ))}
      </div>
    </dialog>
  );
};

interface OptionProps {
  id: string;
  command: Command;
  isFirst: boolean;
  isCurrent: boolean;
  onRun: () => void;
}

const Option = ({ id, command, isFirst, isCurrent, onRun }: OptionProps) => (
  <>
    {isFirst && (
      <p role="presentation" className="px-2.5 pt-2 pb-1 text-xs font-semibold text-quiet">
        {command.group}
      </p>
    )}
    {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys */}
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      ref={(element) => {
        if (isCurrent) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={onRun}
      className="flex h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 hover:bg-hover aria-selected:bg-selected"
    >
      <span className="min-w-0 flex-1 truncate">{command.name}</span>
      {command.keys !== undefined && (
        <kbd className="rounded border border-line bg-sunken px-1.5 font-mono text-xs text-quiet">{command.keys}</kbd>
      )}
      {isCurrent && <CornerDownLeft size={14} aria-hidden="true" className="text-quiet" />}
    </div>
  </>
);

interface Wish {
  text: string;
  onHelp: () => void;
}

interface Offers {
  commands: Command[];
  search: { error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> };
}

/** Returns what fits the text. Each of its words is in the name. */
function useCommands(me: Schemas['Me'], { text, onHelp }: Wish): Offers {
  const { byNumber, found, byWords, search } = useFound(text);
  const words = text.toLowerCase().split(/\s+/);
  const all = [
    ...useAreaCommands(me),
    ...useViewCommands(),
    ...useActionCommands(me),
    ...useSettingCommands(me, onHelp),
  ];
  const fitting = all.filter(({ group, name }) =>
    words.every((word) => `${group} ${name}`.toLowerCase().includes(word)),
  );
  return { commands: [...byNumber, ...fitting, ...found, ...byWords], search };
}

const KINDS: Record<Schemas['FoundItem']['kind'], string> = {
  session: 'Conversations',
  contact: 'Contacts',
  sequence: 'Sequences',
  workflow: 'Workflows',
  run: 'Runs',
  article: 'Articles',
  member: 'Members',
  message: 'Messages',
};

const NO_SEARCH: Offers['search'] = { error: null, isFetching: false, refetch: async () => {} };

const TICKET_NUMBER = /^#?(\d{1,12})$/;

/** A conversation by its number, what the search over everything finds, and a search for words in conversations. */
function useFound(text: string): Record<'byNumber' | 'found' | 'byWords', Command[]> & Pick<Offers, 'search'> {
  const navigate = useNavigate();
  const sought = useSettled(text);
  const query = useQuery(searchQuery(sought));
  if (text === '') return { byNumber: [], found: [], byWords: [], search: NO_SEARCH };
  const search = sought === text ? query : NO_SEARCH; // the error of an earlier text is not that of this one
  const items = sought === text ? (query.data?.items ?? []) : []; // what an earlier text found is not offered for this one
  const found = items.flatMap(({ kind, title, detail, ref }, n): Command[] => {
    const link = linkTo(ref);
    if (link === undefined) return [];
    const name = detail === null || detail === title ? title : `${title} · ${detail}`;
    return [{ group: KINDS[kind], id: `${ref.id} ${n}`, name, run: () => void navigate(link) }];
  });
  const searchInbox = () => void navigate({ to: '/inbox', search: { view: 'all', status: undefined, q: text } });
  const [, number] = TICKET_NUMBER.exec(text) ?? [];
  const open = async () => {
    const asked = { q: `#${number}`, kinds: 'session', limit: 1 };
    const [session] = (await dataOf(api.GET('/search', { params: { query: asked } }))).items;
    if (session === undefined) say(`There is no conversation #${number}`, { isError: true });
    else await navigate({ to: '/s/$id', params: { id: session.ref.id }, search: {} });
  };
  const byNumber = {
    group: 'Search',
    name: `Open conversation #${number}`,
    run: () => void open().catch((error: Error) => say(error.message, { isError: true })),
  };
  const byWords = { group: 'Search', name: `Search open conversations for “${text}”`, run: searchInbox };
  return { byNumber: number === undefined ? [] : [byNumber], found, byWords: [byWords], search };
}

function useAreaCommands({ scopes }: Schemas['Me']): Command[] {
  const navigate = useNavigate();
  return areasOf(scopes).map(({ name, to, key }) => ({
    group: 'Go to',
    name,
    keys: `G ${key.toUpperCase()}`,
    run: () => void navigate({ to }),
  }));
}

function useViewCommands(): Command[] {
  const navigate = useNavigate();
  const views = useQuery(viewsQuery).data?.items ?? [];
  return views.map(({ id, name }, n) => ({
    group: 'Go to',
    name,
    ...(n < 9 && { keys: `${n + 1}` }),
    run: () => void navigate({ to: '/inbox', search: { view: id } }),
  }));
}

/** What the keys of the open conversation do. */
function useActionCommands({ scopes }: Schemas['Me']): Command[] {
  const session = useMatch({ from: '/s/$id', shouldThrow: false });
  if (session === undefined || !scopes.includes('chat-sessions:write')) return [];
  const shortcuts = KEYBOARD.flatMap((part) => part.shortcuts);
  return shortcuts.flatMap(({ keys, does, press }) =>
    press === undefined ? [] : [{ group: 'This conversation', name: does, keys, run: () => pressKey(press) }],
  );
}

function useSettingCommands(me: Schemas['Me'], onHelp: () => void): Command[] {
  const client = useQueryClient();
  const orgs = useQuery({ ...ownOrgsQuery, enabled: me.orgs > 1 }).data?.items ?? [];
  const setTheme = async (theme: (typeof THEMES)[number]['theme']) => {
    const answer = await dataOf(api.PATCH('/me', { body: { settings: { theme } } }));
    client.setQueryData(meQuery.queryKey, answer);
  };
  const themes = THEMES.map(({ theme, name }) => ({
    group: 'Theme',
    name: `${name} theme`,
    run: () => void setTheme(theme).catch((error: Error) => say(error.message, { isError: true })),
  }));
  const others = orgs.filter(({ is_current }) => !is_current);
  return [
    ...(me.member === null ? [] : themes),
    ...others.map(({ id, name }) => ({
      group: 'Organization',
      name: `Switch to ${name}`,
      run: () => void switchOrg(id),
    })),
    { group: 'Console', name: 'Show the keyboard help', keys: '?', run: onHelp },
    { group: 'Console', name: 'Sign out', run: () => void signOut() },
  ];
}
