import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';

type Kind = Schemas['Draft']['kind'];
export type Content = Pick<Schemas['Draft'], 'text' | 'attachments'>;

export interface Draft extends Content {
  kind: Kind;
}

export interface Entry extends Content {
  /** `changed`: the server has another one, which `theirs` is. Nothing is stored until the member has chosen. */
  state: 'stored' | 'waiting' | 'failed' | 'changed';
  /** When the server's draft that this one continues was updated. null: there is none. */
  storedAt: string | null;
  theirs?: Schemas['Draft'] | undefined;
  /** Why it is not stored, as the API says it. */
  problem?: string | undefined;
}

interface Drafts extends Record<Kind, Entry> {
  /** The one that is shown. */
  kind: Kind;
}

/** A draft of the member. */
export interface DraftRef {
  client: QueryClient;
  id: string;
  kind: Kind;
}

export const NONE: Entry = { text: '', attachments: [], state: 'stored', storedAt: null };
const NO_DRAFTS: Drafts = { kind: 'reply', reply: NONE, note: NONE };
export const isEmpty = ({ text, attachments }: Content): boolean => text.trim() === '' && attachments.length === 0;

export const isSame = (one: Content, other: Content): boolean =>
  one.text === other.text && `${one.attachments.map(({ id }) => id)}` === `${other.attachments.map(({ id }) => id)}`;

export const readDrafts = (id: string) => dataOf(api.GET('/chat/sessions/{id}/draft', { params: { path: { id } } }));

export const entryFrom = (draft: Schemas['Draft'] | undefined): Entry =>
  draft === undefined
    ? NONE
    : { text: draft.text, attachments: draft.attachments, state: 'stored', storedAt: draft.updated_at };

/** The member's drafts in a session. What is not stored yet is never replaced by the server's. */
export const draftsQuery = (id: string) =>
  queryOptions({
    queryKey: ['getMyDraft', id],
    queryFn: async ({ client }): Promise<Drafts> => {
      const { queryKey } = draftsQuery(id);
      const before = draftsIn(client, id);
      const { draft, drafts } = await readDrafts(id);
      const mine = client.getQueryData(queryKey);
      const entryOf = (kind: Kind) =>
        mine !== undefined && (mine[kind].state !== 'stored' || mine[kind] !== before[kind])
          ? mine[kind]
          : entryFrom(drafts.find((one) => one.kind === kind));
      return { kind: mine?.kind ?? draft?.kind ?? 'reply', reply: entryOf('reply'), note: entryOf('note') };
    },
    staleTime: 0,
    gcTime: Number.POSITIVE_INFINITY,
  });

export const draftsIn = (client: QueryClient, id: string): Drafts =>
  client.getQueryData(draftsQuery(id).queryKey) ?? NO_DRAFTS;

export const entryAt = ({ client, id, kind }: DraftRef): Entry => draftsIn(client, id)[kind];

export function setEntry({ client, id, kind }: DraftRef, change: (now: Entry) => Entry): void {
  client.setQueryData(draftsQuery(id).queryKey, (all = NO_DRAFTS) => ({ ...all, [kind]: change(all[kind]) }));
}

/** Shows the draft of a kind. */
export function showKind({ client, id, kind }: DraftRef): void {
  client.setQueryData(draftsQuery(id).queryKey, (all = NO_DRAFTS) => ({ ...all, kind }));
}

/** What was sent to the server since its last answer: it may have any of it. */
const tried = new Map<string, Content[]>();
const MAX_TRIED = 20;
export const keyOf = ({ id, kind }: DraftRef): string => `${kind} ${id}`;
export const noteTried = (ref: DraftRef, content: Content): void =>
  void tried.set(keyOf(ref), [...(tried.get(keyOf(ref)) ?? []), content].slice(-MAX_TRIED));
export const forgetTried = (ref: DraftRef): void => void tried.delete(keyOf(ref));
export const isTried = (ref: DraftRef, content: Content): boolean =>
  (tried.get(keyOf(ref)) ?? [NONE]).some((one) => isSame(one, content));
