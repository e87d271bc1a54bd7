import { useQuery } from '@tanstack/react-query';
import { tagSuggestionsQuery, tagsQuery } from '../../../api/queries';
import { type Choice, hasText, Picker } from '../../../ui/forms/choices';
import type { ControlsProps } from '../actions';

/** The tags of the org, with those of the conversation and the suggested ones first. Who may make tags can add another one. */
export const TagPicker = ({ session, me, actions }: Omit<ControlsProps, 'onDetails'>) => {
  const all = useQuery(tagsQuery).data ?? [];
  const suggested = useQuery(tagSuggestionsQuery(session.id)).data?.items.map(({ tag_name }) => tag_name) ?? [];
  const names = [...new Set([...session.tags, ...suggested, ...all.map(({ tag_name }) => tag_name)])];
  const choicesFor = (text: string): Choice[] => {
    const found = names.filter((name) => hasText(name, text));
    const isKnown = names.some((name) => name.toLowerCase() === text.toLowerCase());
    return [
      ...found.map((name) => ({
        id: name,
        label: name,
        isChosen: session.tags.includes(name),
        hint: suggested.includes(name) && !session.tags.includes(name) ? 'suggested' : undefined,
      })),
      ...(text === '' || isKnown || !me.scopes.includes('tags:write')
        ? []
        : [{ id: text, label: text, hint: 'new tag' }]),
    ];
  };
  const pick = ({ id }: Choice) =>
    session.tags.includes(id) ? actions.removeTag(id) : actions.addTag(id, !names.includes(id));
  return <Picker label="Find a tag" choicesFor={choicesFor} onPick={pick} />;
};
