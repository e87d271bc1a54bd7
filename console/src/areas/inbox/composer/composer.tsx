import { type KeyboardEvent, type RefObject, useRef } from 'react';
import type { Schemas } from '../../../api/client';
import { useKeys } from '../../../ui/keys';
import { Button } from '../../../ui/parts';
import type { Actions } from '../actions';
import { useMyPresence } from '../my-presence';
import { type Draft, isEmpty, useDraft } from './drafts';
import { FilePicker, useUploads } from './files';
import { NewerMessages } from './newer-messages';
import { useSending } from './sending';

interface ComposerProps {
  session: Schemas['ChatSession'];
  me: Schemas['Me'];
  actions: Actions;
  seen: RefObject<string | undefined>;
}

/** Where replies and notes are written. What is written is kept on the server until it is sent. */
export const Composer = ({ session, me, actions, seen }: ComposerProps) => {
  const kept = useDraft(session.id);
  const { draft } = kept;
  const field = useRef<HTMLTextAreaElement>(null);
  const presence = useMyPresence(session.id);
  const onSent = () => {
    kept.clear();
    presence.onStopped();
  };
  const send = useSending({ session, seen, onSent });
  const change = (part: Partial<Draft>) => {
    if (send.data !== undefined || send.isError) send.reset();
    kept.set({ ...draft, ...part });
    if (part.text !== undefined && draft.kind === 'reply') presence.onTyping(); // the customer sees it, too
  };
  const uploads = useUploads((files) => change({ attachments: [...draft.attachments, ...files] }));
  const submit = (closes = false, behind?: string) => {
    if (isEmpty(draft) || send.isPending || uploads.isUploading) return;
    const close = (newer: unknown[]) => closes && newer.length === 0 && actions.setStatus('closed_resolved');
    send.mutate({ draft, mentions: [], behind }, { onSuccess: close });
  };
  const write = (kind: Draft['kind']) => {
    if (draft.kind !== kind) change({ kind });
    field.current?.focus();
  };
  useKeys({ r: () => write('reply'), n: () => write('note') });
  const isNote = draft.kind === 'note';
  const newer = send.data ?? [];
  return (
    <form
      aria-label="Answer"
      className={`border-t p-3 ${isNote ? 'border-note-line bg-note' : 'border-line bg-surface'}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Kinds kind={draft.kind} onChange={write} channel={session.channel.type} />
      {newer.length > 0 && (
        <NewerMessages items={newer} onSend={() => submit(false, newer.at(-1)?.id)} onDismiss={send.reset} />
      )}
      <Problems problems={[...(send.error === null ? [] : [send.error.message]), ...uploads.problems]} />
      <textarea
        ref={field}
        id="composer"
        aria-label={isNote ? 'Note' : 'Reply'}
        placeholder={isNote ? 'A note for your team' : 'Write a reply'}
        rows={3}
        readOnly={!kept.isRead}
        value={draft.text}
        onChange={({ target }) => change({ text: target.value })}
        onKeyDown={(event) => onKey(event, me, submit)}
        onPaste={({ clipboardData }) => !isNote && uploads.upload(clipboardData.files)}
        onDrop={(event) => {
          if (isNote || event.dataTransfer.files.length === 0) return;
          event.preventDefault();
          uploads.upload(event.dataTransfer.files);
        }}
        className="mt-2 block max-h-60 min-h-16 w-full resize-none rounded-md border border-line bg-page p-2 [field-sizing:content] placeholder:text-quiet"
      />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {!isNote && (
          <FilePicker
            files={draft.attachments}
            isUploading={uploads.isUploading}
            onAdd={uploads.upload}
            onRemove={(file) => change({ attachments: draft.attachments.filter(({ id }) => id !== file.id) })}
          />
        )}
        <DraftState {...kept} />
        <Button
          type="submit"
          look="main"
          disabled={isEmpty(draft) || send.isPending || uploads.isUploading}
          title="Ctrl Enter"
        >
          {send.isPending ? 'Sending' : isNote ? 'Add note' : 'Send'}
        </Button>
      </div>
    </form>
  );
};

function onKey(event: KeyboardEvent<HTMLTextAreaElement>, me: Schemas['Me'], submit: (closes: boolean) => void): void {
  if (event.nativeEvent.isComposing) return;
  const hasCommand = event.ctrlKey || event.metaKey;
  const sends = hasCommand || (me.member?.settings.send_key === 'enter' && !event.shiftKey);
  if (event.key === 'Enter' && sends) {
    event.preventDefault();
    submit(hasCommand && event.shiftKey);
  }
  if (event.key === 'Escape') event.currentTarget.blur();
}

const Problems = ({ problems }: { problems: string[] }) =>
  problems.map((problem) => (
    <p key={problem} role="alert" className="mt-2 rounded bg-bad px-2 py-1 text-bad-text">
      {problem}
    </p>
  ));

/** Whether the draft is kept on the server, for who wants to leave. */
const DraftState = ({ draft, state, problem, retry }: ReturnType<typeof useDraft>) => (
  <span role="status" className="ml-auto flex min-w-0 items-center gap-1 text-xs text-quiet">
    {problem !== undefined ? (
      <>
        <span className="truncate rounded bg-bad px-1.5 py-0.5 text-bad-text" title={problem}>
          Draft not stored: {problem}
        </span>
        <Button look="quiet" className="h-6 px-1.5 text-xs" onClick={retry}>
          Try again
        </Button>
      </>
    ) : (
      !isEmpty(draft) && state === 'stored' && 'Draft stored'
    )}
  </span>
);

interface KindsProps {
  kind: Draft['kind'];
  channel: string;
  onChange: (kind: Draft['kind']) => void;
}

const Kinds = ({ kind, channel, onChange }: KindsProps) => (
  <div className="flex items-center gap-1">
    {(['reply', 'note'] as const).map((one) => (
      <button
        key={one}
        type="button"
        aria-pressed={kind === one}
        aria-keyshortcuts={one === 'reply' ? 'r' : 'n'}
        onClick={() => onChange(one)}
        className="h-7 rounded-md px-2.5 text-quiet hover:bg-hover aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-text"
      >
        {one === 'reply' ? 'Reply' : 'Note'}
      </button>
    ))}
    <span className="ml-auto text-xs text-quiet">{kind === 'reply' ? `by ${channel}` : 'for your team alone'}</span>
  </div>
);
