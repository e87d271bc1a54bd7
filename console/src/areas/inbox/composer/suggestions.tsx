import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { membersQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { type Choice, ChoiceList, hasText, useChoices } from '../../../ui/forms/choices';
import type { Draft } from './draft-entries';
import type { Insertion, Trigger } from './triggers';

const MAX_SUGGESTIONS = 8;

interface SuggestionsProps {
  sessionId: string;
  kind: Draft['kind'];
  trigger: Trigger;
  field: RefObject<HTMLTextAreaElement | null>;
  onInsert: (insertion: Insertion) => void;
  onDismiss: () => void;
}

/** What can be inserted at the caret: saved replies behind a slash, and members behind an @ in notes. */
export const Suggestions = ({ sessionId, kind, trigger, field, onInsert, onDismiss }: SuggestionsProps) => {
  const replies = useSavedReplies(trigger);
  const members = useMentions(trigger, kind === 'note');
  const render = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.POST('/saved-replies/{id}/render', { params: { path: { id } }, body: { session_id: sessionId } })),
    onError: (error) => say(error.message, { isError: true }),
  });
  const choices = [...replies.map(choiceOf), ...members];
  const onPick = ({ id, label }: Choice) => {
    const { range } = trigger;
    const reply = replies.find((one) => one.id === id);
    if (reply === undefined) onInsert({ range, text: `@${label} `, attachments: [], missing: [], actions: null });
    else render.mutate(id, { onSuccess: (rendered) => onInsert({ range, ...rendered, actions: reply.actions }) });
  };
  const list = useChoices(choices, onPick);
  const isOpen = choices.length > 0;
  useFieldOf(field, list, { isOpen, onDismiss });
  if (!isOpen) return null;
  return (
    <div className="absolute bottom-full left-0 z-10 mb-1 w-full max-w-md rounded-lg border border-line bg-surface p-1 shadow-lg">
      <ChoiceList
        list={list}
        label={trigger.sign === '@' ? 'Members' : 'Saved replies'}
        choices={choices}
        onPick={onPick}
      />
    </div>
  );
};

interface Opening {
  isOpen: boolean;
  onDismiss: () => void;
}

/** Gives the keys of the field to the choices first, and says in the field which one is active. */
function useFieldOf(
  field: SuggestionsProps['field'],
  list: ReturnType<typeof useChoices>,
  { isOpen, onDismiss }: Opening,
): void {
  const onKey = useRef<(event: KeyboardEvent) => boolean>(undefined);
  onKey.current = (event) => {
    if (event.key !== 'Escape') return list.onKey(event);
    onDismiss();
    return true;
  };
  useEffect(() => {
    const text = field.current;
    if (!isOpen || text === null) return;
    const listener = (event: KeyboardEvent) => {
      if (onKey.current?.(event)) event.stopPropagation();
    };
    text.addEventListener('keydown', listener, { capture: true });
    return () => text.removeEventListener('keydown', listener, { capture: true });
  }, [field, isOpen]);
  useEffect(() => {
    const attributes = Object.entries(list.field).filter(([, value]) => value !== undefined);
    if (!isOpen) return;
    for (const [name, value] of attributes) field.current?.setAttribute(name, `${value}`);
    return () => {
      for (const [name] of attributes) field.current?.removeAttribute(name);
    };
  });
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
