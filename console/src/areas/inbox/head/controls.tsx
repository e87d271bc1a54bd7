import { Check, ChevronDown, Clock, Ellipsis, Tag, UserRound } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { useKeys } from '../../../ui/keys';
import { lazily } from '../../../ui/lazily';
import { Button } from '../../../ui/parts';
import { Popover } from '../../../ui/popover';
import type { ControlsProps } from '../actions';

const AskDialog = lazily(async () => (await import('../../../ui/dialogs/ask-dialog')).AskDialog);
const Menu = lazily(async () => (await import('../../../ui/menu')).Menu);
const AssigneePicker = lazily(async () => (await import('./assignee-picker')).AssigneePicker);
const SnoozeMenu = lazily(async () => (await import('./snooze-menu')).SnoozeMenu);
const StatusMenu = lazily(async () => (await import('./status-menu')).StatusMenu);
const TagPicker = lazily(async () => (await import('./tag-picker')).TagPicker);

const useOpener = (): [RefObject<HTMLButtonElement | null>, () => void] => {
  const button = useRef<HTMLButtonElement>(null);
  return [button, () => button.current?.click()];
};

/** What can be done with a conversation, each with its key. */
export const Controls = ({ session, me, actions, onDetails }: ControlsProps) => {
  const [assign, openAssign] = useOpener();
  const [tags, openTags] = useOpener();
  const [snooze, openSnooze] = useOpener();
  const [close, openClose] = useOpener();
  const [more, openMore] = useOpener();
  const [isHandingOff, setHandingOff] = useState(false);
  const isOpen = session.status === 'open';
  const wasOfAi = useRef(false);
  if (session.answered_by === 'ai') wasOfAi.current = true; // who has taken it over may give it back
  const isOwn = session.assignee_id !== null && session.assignee_id === me.member?.id;
  const handOff = () => session.handoff === null && setHandingOff(true);
  useKeys({
    a: openAssign,
    i: actions.takeOver,
    l: openTags,
    h: openSnooze,
    e: () => actions.setStatus(isOpen ? 'closed_resolved' : 'open'),
    'Shift+e': openClose,
    t: actions.takeOver,
    'Shift+t': () => session.answered_by === 'people' && actions.returnToAi(),
    u: actions.markUnread,
    m: handOff,
    '.': openMore,
  });
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-1 min-[1500px]:gap-1.5">
      {!isOwn && isOpen && (
        <Button
          look={session.answered_by === 'ai' ? 'main' : 'plain'}
          aria-keyshortcuts="t"
          title="Take over (T)"
          onClick={actions.takeOver}
        >
          Take over
        </Button>
      )}
      {isOwn && isOpen && wasOfAi.current && (
        <Button aria-keyshortcuts="Shift+t" title="Return to AI (Shift T)" onClick={actions.returnToAi}>
          Return to AI
        </Button>
      )}
      <Popover
        name="Assign"
        className="max-[480px]:px-1.5"
        shortcut="a"
        button={assign}
        label={<Labelled icon={UserRound} text="Assign" />}
      >
        {(done) => <AssigneePicker session={session} me={me} actions={actions} close={done} />}
      </Popover>
      <Popover
        name="Tags"
        className="max-[480px]:px-1.5"
        shortcut="l"
        button={tags}
        label={<Labelled icon={Tag} text="Tags" />}
      >
        {() => <TagPicker session={session} me={me} actions={actions} />}
      </Popover>
      {isOpen && (
        <Popover
          name="Snooze"
          className="max-[480px]:px-1.5"
          shortcut="h"
          button={snooze}
          label={<Labelled icon={Clock} text="Snooze" />}
        >
          {(done) => <SnoozeMenu isSnoozed={session.snoozed_at !== null} actions={actions} close={done} />}
        </Popover>
      )}
      <span className="flex">
        <Button
          aria-keyshortcuts="e"
          title={isOpen ? 'Close as resolved (E)' : 'Open again (E)'}
          className={isOpen ? 'rounded-r-none' : ''}
          onClick={() => actions.setStatus(isOpen ? 'closed_resolved' : 'open')}
        >
          <Check size={14} aria-hidden="true" />
          {isOpen ? 'Close' : 'Open again'}
        </Button>
        {isOpen && (
          <Popover
            name="Close with a status"
            shortcut="Shift+e"
            button={close}
            className="-ml-px rounded-l-none px-1"
            label={<ChevronDown size={14} />}
          >
            {(done) => <StatusMenu current={session.custom_status_id} actions={actions} close={done} />}
          </Popover>
        )}
      </span>
      <Popover
        name="More"
        shortcut="."
        button={more}
        look="quiet"
        className="px-1.5 max-[480px]:px-1"
        label={<Ellipsis size={16} />}
      >
        {(done) => (
          <Menu
            label="More"
            close={done}
            items={[
              ...(session.answered_by === 'people'
                ? [
                    {
                      label: 'Return to AI',
                      hint: '⇧ T',
                      onSelect: actions.returnToAi,
                    },
                  ]
                : []),
              { label: 'Mark as unread', hint: 'U', onSelect: actions.markUnread },
              ...(session.handoff === null ? [{ label: 'Hand off…', hint: 'M', onSelect: handOff }] : []),
              { label: 'Details', hint: ']', onSelect: onDetails },
            ]}
          />
        )}
      </Popover>
      {isHandingOff && (
        <AskDialog
          title="Hand off to people"
          text="The AI says no more here. If a CRM is connected, the conversation goes there with its summary."
          field="Why (for your team)"
          action="Hand off"
          onClose={() => setHandingOff(false)}
          onAnswer={actions.handOff}
        />
      )}
    </div>
  );
};

/** An icon, with its word where there is room. */
const Labelled = ({ icon: Icon, text }: { icon: typeof Tag; text: string }) => (
  <span className="flex items-center gap-1.5">
    <Icon size={15} aria-hidden="true" />
    <span className="hidden min-[1500px]:inline">{text}</span>
  </span>
);
