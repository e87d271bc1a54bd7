import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { membersQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { type Choice, hasText, useChoices } from '../../../ui/choices';
import type { Draft } from './drafts';

const MAX_SUGGESTIONS = 8;

interface Trigger {
  sign: string;
  query: string;
  /** Where the sign is, and where the caret is. */
  range: [from: number, to: number];
}

export interface Insertion extends Pick<Trigger, 'range'> {
  text: string;
  attachments: Draft['attachments'];
  /** The fields that the contact does not have. */
  missing: string[];
  actions: Schemas['SavedReplyActions'] | null;
}

/** Returns the word with a sign in front that the caret is behind. */
function triggerAt(text: string, caret: number): Trigger | undefined {
  const [, sign, query] = /(?:^|\s)([/@])([\p{L}\p{N}_.-]{0,60})$/u.exec(text.slice(0, caret)) ?? [];
  if (sign === undefined || query === undefined) return undefined;
  return { sign, query, range: [caret - query.length - 1, caret] };
}

interface SuggestionsInput {
  sessionId: string;
  draft: Draft;
  caret: number;
  onInsert: (insertion: Insertion) => void;
}

/** What can be inserted at the caret: saved replies behind a slash, and members behind an @ in notes. */
export function useSuggestions({ sessionId, draft, caret, onInsert }: SuggestionsInput) {
  const [dismissed, dismiss] = useState<number>();
  const at = triggerAt(draft.text, caret);
  const trigger = at?.range[0] === dismissed ? undefined : at;
  const replies = useSavedReplies(trigger);
  const members = useMentions(trigger, draft.kind === 'note');
  const render = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.POST('/saved-replies/{id}/render', { params: { path: { id } }, body: { session_id: sessionId } })),
    onError: (error) => say(error.message, { isError: true }),
  });
  const choices = [...replies.map(choiceOf), ...members];
  const onPick = ({ id, label }: Choice) => {
    if (trigger === undefined) return;
    const { range } = trigger;
    const reply = replies.find((one) => one.id === id);
    if (reply === undefined) onInsert({ range, text: `@${label} `, attachments: [], missing: [], actions: null });
    else render.mutate(id, { onSuccess: (rendered) => onInsert({ range, ...rendered, actions: reply.actions }) });
  };
  const list = useChoices(choices, onPick);
  return {
    list,
    choices,
    onPick,
    isOpen: trigger !== undefined && choices.length > 0,
    label: trigger?.sign === '@' ? 'Members' : 'Saved replies',
    dismiss: () => dismiss(trigger?.range[0]),
  };
}

const choiceOf = ({ id, shortcut, title, text }: Schemas['SavedReply']): Choice => ({
  id,
  label: `/${shortcut} · ${title}`,
  hint: text,
});

function useSavedReplies(trigger: Trigger | undefined): Schemas['SavedReply'][] {
  const q = trigger?.query || undefined;
  const isAsked = trigger?.sign === '/';
  const { data } = useQuery({
    queryKey: ['listSavedReplies', q],
    queryFn: () => dataOf(api.GET('/saved-replies', { params: { query: { q, limit: MAX_SUGGESTIONS } } })),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return isAsked ? (data?.items ?? []) : [];
}

function useMentions(trigger: Trigger | undefined, isNote: boolean): Choice[] {
  const members = useQuery(membersQuery).data ?? [];
  if (!isNote || trigger?.sign !== '@') return [];
  return members
    .filter(({ name }) => hasText(name, trigger.query))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id, name, email }) => ({ id: `${id}`, label: name, hint: email }));
}

/** Returns the ids of the members that a note mentions by name. */
export const mentionsIn = ({ kind, text }: Draft, members: Schemas['Member'][]): number[] =>
  kind === 'note' ? members.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id) : [];
