import { CUSTOMER, usePresent } from '../../api/presence';
import { Avatar } from '../../ui/parts';

interface PresentProps {
  sessionId: string;
  myId: number | undefined;
}

/** The initials of the others who have the conversation open. */
export const Viewers = ({ sessionId, myId }: PresentProps) => {
  const present = usePresent(sessionId, myId).filter(({ member }) => member.id !== CUSTOMER.id);
  if (present.length === 0) return null;
  return (
    <ul aria-label="Also here" className="flex shrink-0 -space-x-1.5">
      {present.map(({ member, state }) => (
        <li
          key={member.id}
          title={`${member.name} ${state === 'typing' ? 'is writing' : 'is here'}`}
          className="rounded-full ring-2 ring-surface"
        >
          <Avatar name={member.name} />
          <span className="sr-only">{member.name}</span>
        </li>
      ))}
    </ul>
  );
};

/** Who writes now: members, and the customer in a widget. */
export const Writers = ({ sessionId, myId }: PresentProps) => {
  const names = usePresent(sessionId, myId)
    .filter(({ state }) => state === 'typing')
    .map(({ member }) => member.name);
  return (
    <p role="status" className="px-4 text-xs text-quiet not-empty:py-1">
      {names.length > 0 && `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} writing…`}
    </p>
  );
};
