import { useQuery } from '@tanstack/react-query';
import { membersQuery, teamsQuery } from '../../../api/queries';
import { type Choice, hasText, Picker } from '../../../ui/forms/choices';
import type { ControlsProps } from '../actions';

interface AssigneePickerProps extends Omit<ControlsProps, 'onDetails'> {
  close: () => void;
}

/** Nobody, the members and the teams. */
export const AssigneePicker = ({ session, me, actions, close }: AssigneePickerProps) => {
  const members = useQuery(membersQuery).data ?? [];
  const teams = useQuery(teamsQuery).data ?? [];
  const own = members.filter(({ id }) => id === me.member?.id);
  const others = members.filter(({ id, role }) => id !== me.member?.id && role !== 'viewer');
  const choices: Choice[] = [
    ...own.map(({ id, name }) => ({ id: `${id}`, label: `${name} (me)`, isChosen: id === session.assignee_id })),
    { id: 'nobody', label: 'Nobody', isChosen: session.assignee_id === null },
    ...others.map(({ id, name, available }) => ({
      id: `${id}`,
      label: name,
      hint: available ? undefined : 'away',
      isChosen: id === session.assignee_id,
    })),
    ...teams.map(({ id, name }) => ({ id, label: name, hint: 'team', isChosen: id === session.team?.id })),
  ];
  const pick = ({ id }: Choice) => {
    close();
    const team = teams.find((one) => one.id === id);
    if (team === undefined) actions.assign(members.find((member) => `${member.id}` === id) ?? null);
    else actions.assignTeam(team);
  };
  return (
    <Picker
      label="Assign to"
      choicesFor={(text) => choices.filter((choice) => hasText(choice.label, text))}
      onPick={pick}
    />
  );
};
