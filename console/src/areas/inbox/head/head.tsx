import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Bot, Clock, UserRound } from 'lucide-react';
import type { Schemas } from '../../../api/client';
import { filtersIn } from '../../../api/inbox-filters';
import { membersQuery, statusesQuery } from '../../../api/queries';
import { CHANNELS } from '../../../ui/channels';
import { Button } from '../../../ui/parts';
import { shownMoment } from '../../../ui/times/time';
import type { ControlsProps } from '../actions';
import { Viewers } from '../present-members';
import { visitorNameOf } from '../visitor-name';
import { Controls } from './controls';

/** The contact, the one who answers, the other members present, and the actions. */
export const Head = ({ canWrite, ...props }: ControlsProps & { canWrite: boolean }) => {
  const { session, me, onDetails } = props;
  const navigate = useNavigate();
  const search = filtersIn(useSearch({ strict: false }));
  return (
    <header className="border-b border-line bg-surface px-3 py-2">
      <div className="flex min-h-8 items-center gap-2">
        <Button
          look="quiet"
          aria-label="Back to the list"
          className="-ml-1.5 px-1.5 min-[900px]:hidden"
          onClick={() => void navigate({ to: '/inbox', search })}
        >
          <ArrowLeft size={18} />
        </Button>
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base leading-5 font-semibold">
            {visitorNameOf(session)}{' '}
            <span className="text-sm font-normal whitespace-nowrap text-quiet">
              #{session.ticket_number} · {CHANNELS[session.channel.type]}
            </span>
          </h2>
          <Answerer session={session} me={me} />
        </div>
        <Viewers sessionId={session.id} myId={me.member?.id} />
        <Button look="quiet" aria-keyshortcuts="]" title="Details (])" onClick={onDetails}>
          Details
        </Button>
      </div>
      {canWrite && <Controls {...props} />}
    </header>
  );
};

const Answerer = ({ session, me }: Pick<ControlsProps, 'session' | 'me'>) => {
  const members = useQuery(membersQuery).data;
  const isOwn = session.custom_status_id !== null;
  const statuses = useQuery({ ...statusesQuery, enabled: isOwn }).data?.items;
  const own = statuses?.find(({ id }) => id === session.custom_status_id);
  const { answered_by, assignee_id, snoozed_at, snoozed_until, status, team } = session;
  const Icon = answered_by === 'ai' ? Bot : UserRound;
  const assignee = assignee_id === me.member?.id ? 'You' : members?.find(({ id }) => id === assignee_id)?.name;
  return (
    <p className="flex items-center gap-1.5 truncate text-xs text-quiet">
      <Icon size={13} aria-hidden="true" className="shrink-0" />
      <span className="truncate" role="status">
        {status === 'open'
          ? sayWho(session, assignee)
          : status === 'closed_resolved'
            ? 'Resolved'
            : 'Closed unresolved'}
        {own !== undefined && ` · ${own.name}`}
        {team !== null && ` · ${team.name}`}
      </span>
      {snoozed_at !== null && (
        <span className="flex shrink-0 items-center gap-1">
          <Clock size={12} aria-hidden="true" />
          {snoozed_until === null ? 'Snoozed until a reply' : `Snoozed until ${shownMoment(snoozed_until)}`}
        </span>
      )}
    </p>
  );
};

function sayWho({ answered_by, ai, assignee_id }: Schemas['ChatSession'], assignee: string | undefined): string {
  if (answered_by === 'ai') return ai.label === null ? 'The AI answers' : `AI · ${ai.label}`;
  if (answered_by === 'nobody') return 'Nobody answers';
  if (assignee === 'You') return 'You answer';
  return assignee_id === null ? 'People of another system answer' : `${assignee ?? 'Somebody else'} answers`;
}
