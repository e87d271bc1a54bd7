import { useQuery } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Schemas } from '../../../api/client';
import { membersQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { CHANNELS } from '../../../ui/channels';
import { useKeys } from '../../../ui/keys';
import { lazily } from '../../../ui/lazily';
import { Button } from '../../../ui/parts';
import type { Actions } from '../actions';
import { useMyPresence } from '../my-presence';
import { type Draft, isEmpty } from './draft-entries';
import { useDraft } from './drafts';
import { useDrops } from './drops';
import { FilePicker, useUploads } from './files';
import { HELD_ON, useHeld } from './held';
import { useProposals } from './proposals';
import { type Intent, useSending } from './sending';
import { type Insertion, mentionsIn, triggerAt } from './triggers';

const Suggestions = lazily(async () => (await import('./suggestions')).Suggestions);
const SavedActionsNote = lazily(async () => (await import('./saved-actions')).SavedActionsNote);
const DraftConflict = lazily(async () => (await import('./notices')).DraftConflict);
const Warnings = lazily(async () => (await import('./notices')).Warnings);
const Recipients = lazily(async () => (await import('./recipients')).Recipients);
const NewerMessages = lazily(async () => (await import('./newer-messages')).NewerMessages);

/** The API refuses a longer one. */
const MAX_LENGTH = 50_000;

interface ComposerProps {
  session: Schemas['ChatSession'];
  me: Schemas['Me'];
  actions: Actions;
  seen: RefObject<string | undefined>;
}

/** The field for replies and notes. The server keeps the text until it is sent. */
export const Composer = (props: ComposerProps) => {
  const { session, me } = props;
  const composing = useComposing(props);
  const { kept, send, held, uploads, trigger, saved, change, submit, write } = composing;
  const { draft } = kept;
  const isNote = draft.kind === 'note';
  const newer = send.data ?? [];
  return (
    <form
      ref={composing.form}
      aria-label="Answer"
      className={`border-t p-3 ${isNote ? 'border-note-line bg-note' : 'border-line bg-surface'}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Kinds kind={draft.kind} onChange={write} channel={CHANNELS[session.channel.type]} />
      {!isNote && session.channel.type === 'email' && (
        <Recipients session={session} hasCopies={composing.hasCopies} onChange={composing.setCopies} />
      )}
      {newer.length > 0 && (
        <NewerMessages items={newer} onSend={() => submit(false, newer.at(-1)?.id)} onDismiss={send.reset} />
      )}
      {composing.isWarned && <Warnings {...composing} limit={MAX_LENGTH} />}
      <Problems problems={[...(send.error === null ? [] : [send.error.message]), ...uploads.problems]} />
      <div className="relative mt-2">
        {trigger !== undefined && (
          <Suggestions
            sessionId={session.id}
            kind={draft.kind}
            trigger={trigger}
            field={composing.field}
            onInsert={composing.insert}
            onDismiss={composing.dismiss}
          />
        )}
        <Field composing={composing} me={me} />
      </div>
      {kept.theirs !== undefined && <DraftConflict theirs={kept.theirs} draft={kept.ref} />}
      {saved.actions !== null && !isEmpty(draft) && <SavedActionsNote saved={saved.actions} onRemove={saved.drop} />}
      <div className="mt-2 flex flex-wrap items-center gap-1">
        <Button
          look="quiet"
          aria-label="Saved replies"
          title="Saved replies (/)"
          className="px-2"
          onClick={composing.askForSaved}
        >
          <Zap size={16} />
        </Button>
        {!isNote && (
          <FilePicker
            files={draft.attachments}
            isUploading={uploads.isUploading}
            onAdd={uploads.upload}
            onRemove={(file) =>
              change('reply', (now) => ({ attachments: now.attachments.filter(({ id }) => id !== file.id) }))
            }
          />
        )}
        <DraftState {...kept} />
        {held.isHeld ? (
          <Button key="stop" aria-keyshortcuts="z" title="Undo (Z)" onClick={held.cancel}>
            Do not send
          </Button>
        ) : (
          <Button
            key="send" // one that turns into the other in a click would submit
            type="submit"
            look="main"
            disabled={!composing.canSend || send.isPending}
            title="Ctrl Enter"
          >
            {send.isPending ? 'Sending' : isNote ? 'Add note' : 'Send'}
          </Button>
        )}
      </div>
    </form>
  );
};

/** What came with the saved replies in a draft. */
type Inserted = Pick<Insertion, 'missing' | 'actions'>;
const NOTHING: Inserted = { missing: [], actions: null };
const NOTHING_INSERTED: Record<Draft['kind'], Inserted> = { reply: NOTHING, note: NOTHING };

type Composing = ReturnType<typeof useComposing>;

function useComposing({ session, me, actions, seen }: ComposerProps) {
  const kept = useDraft(session.id, me.member?.id);
  const { draft } = kept;
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const presence = useMyPresence(session.id);
  const members = useQuery(membersQuery).data ?? [];
  const [inserted, setInserted] = useState(NOTHING_INSERTED);
  const [hasCopies, keepCopies] = useState(true);
  const { missing, actions: savedActions } = inserted[draft.kind];
  const noteInserted = (kind: Draft['kind'], saved: Partial<Inserted>) =>
    setInserted((all) => ({ ...all, [kind]: { ...all[kind], ...saved } }));
  const { caret, setCaret, moveCaret } = useCaret(field, draft.text);
  const onSent = ({ draft: sent, closes }: Intent) => {
    kept.clear(sent.kind, sent);
    keepCopies(true);
    if (closes) actions.setStatus('closed_resolved');
    presence.onStopped();
    const { actions: saved } = inserted[sent.kind];
    if (saved !== null) void import('./saved-actions').then(({ applySaved }) => applySaved(saved, actions, members));
    noteInserted(sent.kind, NOTHING_INSERTED[sent.kind]);
  };
  const send = useSending({ session, onSent });
  const held = useHeld();
  const stop = () => {
    held.cancel(); // what waits is no longer what is written
    if (send.data !== undefined || send.isError) send.reset();
  };
  const setCopies = (isWanted: boolean) => {
    stop();
    keepCopies(isWanted);
  };
  const change: typeof kept.change = (kind, changeOf) => {
    stop();
    kept.change(kind, changeOf);
  };
  const type: typeof kept.change = (kind, changeOf) => {
    change(kind, changeOf);
    if (kind === 'reply') presence.onTyping(); // the customer sees it, too
  };
  const uploads = useUploads(session.id, (files) =>
    change('reply', (now) => ({ attachments: [...now.attachments, ...files] })),
  );
  const attach = (files: FileList) => {
    if (draft.kind === 'reply') uploads.upload(files);
    else if (files.length > 0) say('Notes take no files: write a reply to attach them', { isError: true });
  };
  useDrops(form, attach);
  const insert = ({ range: [from, to], text, attachments, ...saved }: Insertion, kind = draft.kind) => {
    type(kind, (now) => ({
      text: now.text.slice(0, from) + text + now.text.slice(to),
      attachments: [...now.attachments, ...attachments],
    }));
    moveCaret(from + text.length);
    noteInserted(kind, { missing: saved.missing, ...(saved.actions !== null && { actions: saved.actions }) });
  };
  const [dismissed, dismissAt] = useState<number>();
  const at = triggerAt(draft.text, caret);
  const trigger = at?.range[0] === dismissed ? undefined : at;
  const dismiss = () => dismissAt(trigger?.range[0]);
  const refusal = draft.kind === 'reply' ? session.can_send.reason : null;
  const excess = draft.text.length - MAX_LENGTH;
  const isInDoubt = kept.theirs !== undefined || uploads.isUploading;
  const canSend = !isEmpty(draft) && refusal === null && excess <= 0 && !isInDoubt;
  const submit = (closes = false, behind = seen.current) => {
    if (!canSend || held.isHeld || send.isPending) return;
    const intent = { draft, mentions: mentionsIn(draft, members), behind, hasCopies, closes };
    if (draft.kind === 'note' || !HELD_ON.includes(session.channel.type))
      return send.mutate({ ...intent, isLeft: false });
    kept.store('reply'); // it is on the server, whatever happens to the page meanwhile
    held.hold((isLeft) => send.mutate({ ...intent, isLeft }));
  };
  const write = (kind: Draft['kind']) => {
    if (draft.kind !== kind) {
      stop();
      kept.show(kind);
      setCaret(kept.drafts[kind].text.length); // where the browser puts it
    }
    field.current?.focus();
  };
  const askForSaved = () => {
    const sign = caret === 0 || /\s$/.test(draft.text.slice(0, caret)) ? '/' : ' /';
    insert({ range: [caret, caret], text: sign, attachments: [], missing: [], actions: null });
    field.current?.focus();
  };
  useProposals((text) => {
    const at = draft.kind === 'reply' ? caret : kept.drafts.reply.text.length;
    write('reply');
    insert({ range: [at, at], text, attachments: [], missing: [], actions: null }, 'reply');
  });
  useKeys({ r: () => write('reply'), n: () => write('note') });
  const saved = { actions: savedActions, drop: () => noteInserted(draft.kind, { actions: null }) };
  const suggesting = { trigger, insert, dismiss, saved, missing };
  return {
    kept,
    form,
    field,
    send,
    held,
    refusal,
    excess,
    isWarned: excess > 0 || refusal !== null || missing.length > 0,
    hasCopies,
    setCopies,
    canSend,
    uploads,
    attach,
    ...suggesting,
    setCaret,
    change,
    type,
    submit,
    write,
    askForSaved,
  };
}

/** Where the caret is, and a way to move it once a text is shown. */
function useCaret(field: RefObject<HTMLTextAreaElement | null>, text: string) {
  const [caret, setCaret] = useState(0);
  const next = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret moves in the text that is shown
  useLayoutEffect(() => {
    if (next.current === undefined) return;
    field.current?.setSelectionRange(next.current, next.current);
    next.current = undefined;
  }, [text]);
  const moveCaret = (to: number) => {
    next.current = to;
    setCaret(to);
  };
  return { caret, setCaret, moveCaret };
}

const Field = ({ composing, me }: { composing: Composing; me: Schemas['Me'] }) => {
  const { kept, field, send, held, attach, setCaret, type, submit } = composing;
  const isNote = kept.draft.kind === 'note';
  return (
    <textarea
      ref={field}
      dir="auto"
      aria-label={isNote ? 'Note' : 'Reply'}
      placeholder={isNote ? 'A note for your team. @ mentions somebody' : 'Write a reply. / finds saved replies'}
      rows={3}
      readOnly={!kept.isRead || held.isHeld || send.isPending}
      value={kept.draft.text}
      onChange={({ target }) => {
        setCaret(target.selectionStart);
        type(kept.draft.kind, () => ({ text: target.value }));
      }}
      onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
      onKeyDown={(event) => onKey(event, me, submit)}
      onPaste={({ clipboardData: { files, types } }) => !(isNote && types.includes('text/plain')) && attach(files)}
      className="reply-field"
    />
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
const DraftState = ({ draft, state, problem, store }: ReturnType<typeof useDraft>) => (
  <span role="status" className="ml-auto flex min-w-0 items-center gap-1 px-1 text-xs text-quiet">
    {problem !== undefined ? (
      <>
        <span className="truncate rounded bg-bad px-1.5 py-0.5 text-bad-text" title={problem}>
          Draft not stored: {problem}
        </span>
        <Button look="quiet" className="h-6 px-1.5 text-xs" onClick={() => store(draft.kind)}>
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
    <span className="ml-auto text-xs text-quiet">
      {kind === 'reply' ? `Channel: ${channel}` : 'for your team alone'}
    </span>
  </div>
);
