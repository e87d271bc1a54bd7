import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changesOf, findRow, type InboxRow, patchRows } from '../../api/caches';
import { api, dataOf, type Schemas } from '../../api/client';
import { sessionQuery, tagsQuery } from '../../api/queries';
import { say } from '../../app/undo';
import { shownMoment } from '../../ui/times/time';
import type { Undone } from './undoing';

type Session = Schemas['ChatSession'];
export type HandoffPart = Schemas['SettleHandoffPart']['part'];

type Snooze = Pick<Session, 'snoozed_until'>;

interface Change {
  /** What was done, as the undo bar says it. */
  said?: string;
  send: () => Promise<unknown>;
  /** Whether a dialog asked for it, which says a refusal. */
  isAsked?: true;
  shown?: Partial<Session>;
  row?: Partial<InboxRow>;
  undo?: (() => void) | undefined;
}

/** Returns what a change replaced. */
const formerOf = <Item extends object>(before: Item | undefined, change: Partial<Item> = {}): Partial<Item> =>
  before === undefined
    ? {}
    : (Object.fromEntries(Object.entries(before).filter(([name]) => name in change)) as Partial<Item>);

/** What members do to a session. Changes show at once, and are taken back with the API's sentence if it refuses. */
export function useActions(session: Session, me: Schemas['Me']) {
  const client = useQueryClient();
  const { queryKey } = sessionQuery(session.id);
  const path = { id: session.id };
  const mutationKey = changesOf(session.id);
  const { mutate: apply, mutateAsync: applied } = useMutation({
    mutationKey,
    scope: { id: session.id }, // in the order in which they were made
    mutationFn: ({ send }: Change) => send(),
    onMutate: async ({ shown, row }: Change) => {
      await client.cancelQueries({ queryKey }); // an answer on its way is older than this change
      const before = { shown: client.getQueryData(queryKey), row: findRow(client, session.id) };
      if (shown !== undefined) client.setQueryData(queryKey, (now) => now && { ...now, ...shown });
      if (row !== undefined) patchRows(client, session.id, (now) => ({ ...now, ...row }));
      return before;
    },
    onSuccess: (_data, { said, undo }) => said !== undefined && say(said, { undo }),
    onError: (error, { isAsked, shown, row }, before) => {
      if (isAsked === undefined) say(error.message, { isError: true });
      client.setQueryData(queryKey, (now) => now && { ...now, ...formerOf(before?.shown, shown) });
      patchRows(client, session.id, (now) => ({ ...now, ...formerOf(before?.row, row) }));
    },
    onSettled: () => {
      if (client.isMutating({ mutationKey }) > 1) return; // what is read before the last one is old
      void client.invalidateQueries({ queryKey });
      void client.invalidateQueries({ queryKey: ['listInbox'] });
      void client.invalidateQueries({ queryKey: ['countInbox'] });
    },
  });

  /** Returns the header of an undo. Throws if the session is no longer as the undone change has made it. */
  const headerOf = async (undone: Undone | undefined) =>
    undone && (await import('./undoing')).headerOfUndo(session.id, undone);
  const assign = (member: { id: number; name: string } | null, undone?: Undone) => {
    const former = session.assignee_id;
    const made = { assignee_id: member?.id ?? null };
    apply({
      said: member === null ? 'Assigned to nobody' : `Assigned to ${member.name}`,
      send: async () => {
        const header = await headerOf(undone);
        await dataOf(api.POST('/chat/sessions/{id}/assign', { params: { path, header }, body: made }));
      },
      shown: made,
      row: { assignee: member },
      undo:
        undone === undefined
          ? () => assign(former === null ? null : { id: former, name: 'who had it' }, made)
          : undefined,
    });
  };
  const sendSnooze = (snooze: Snooze | undefined) => {
    const body = snooze === undefined ? { until: null } : { until: snooze.snoozed_until, until_reply: true };
    return dataOf(api.POST('/chat/sessions/{id}/snooze', { params: { path }, body }));
  };
  const former: Snooze | undefined = session.snoozed_at === null ? undefined : session;
  const setStatus = (status: Session['status'], undone?: Undone) => {
    const back = session.status;
    const again = undone === undefined || status !== 'open' ? undefined : former;
    apply({
      said: status === 'open' ? 'Opened again' : 'Closed',
      send: async () => {
        const header = await headerOf(undone);
        await dataOf(api.PATCH('/chat/sessions/{id}', { params: { path, header }, body: { status } }));
        if (again !== undefined) await sendSnooze(again);
      },
      shown: { status },
      row: { status },
      undo: undone === undefined ? () => setStatus(back, { status }) : undefined,
    });
  };
  const setOwnStatus = (status: { id: number; name: string } | null) => {
    const custom_status_id = status?.id ?? null;
    apply({
      said: status === null ? 'Without an own status' : `Status: ${status.name}`,
      send: () => dataOf(api.PATCH('/chat/sessions/{id}', { params: { path }, body: { custom_status_id } })),
      shown: { custom_status_id },
      row: { custom_status: status },
    });
  };
  const setSnooze = (snooze: Snooze | undefined, undone?: Undone) => {
    const until = snooze?.snoozed_until ?? null;
    const shown = { snoozed_at: snooze === undefined ? null : new Date().toISOString(), snoozed_until: until };
    apply({
      said:
        snooze === undefined
          ? 'No longer snoozed'
          : until === null
            ? 'Snoozed until the customer writes'
            : `Snoozed until ${shownMoment(until)}`,
      send: async () => {
        await headerOf(undone);
        await sendSnooze(snooze);
      },
      shown,
      row: shown,
      undo: undone === undefined && snooze !== undefined ? () => setSnooze(former, { snooze }) : undefined,
    });
  };
  return {
    assign,
    assignTeam: (team: { id: string; name: string }) =>
      apply({
        said: `Assigned to the team ${team.name}`,
        send: () => dataOf(api.POST('/chat/sessions/{id}/assign', { params: { path }, body: { team_id: team.id } })),
        row: { team },
      }),
    setStatus,
    setOwnStatus,
    takeOver: () =>
      me.member !== null && session.assignee_id !== me.member.id && assign({ id: me.member.id, name: me.member.name }),
    handOff: (reason: string) =>
      applied({
        said: 'Handed off',
        isAsked: true,
        send: () =>
          dataOf(api.POST('/chat/sessions/{id}/handoff', { params: { path }, body: reason === '' ? {} : { reason } })),
      }),
    retryHandoff: () =>
      apply({
        said: 'Trying again',
        send: () => dataOf(api.POST('/chat/sessions/{id}/handoff/retry', { params: { path } })),
      }),
    settlePart: (part: HandoffPart, externalId: string) =>
      applied({
        said: 'Settled',
        isAsked: true,
        send: () =>
          dataOf(
            api.POST('/chat/sessions/{id}/handoff/settle', {
              params: { path },
              body: externalId === '' ? { part } : { part, external_id: externalId },
            }),
          ),
      }),
    returnToAi: () =>
      apply({
        said: 'Returned to AI',
        send: () => dataOf(api.POST('/chat/sessions/{id}/return-to-ai', { params: { path } })),
        shown: { assignee_id: null },
        row: { assignee: null },
      }),
    snooze: (snoozed_until: string | null) => setSnooze({ snoozed_until }),
    endSnooze: () => setSnooze(undefined),
    /** A tag new to the org is created first. Only some roles may do so. */
    addTag: (tag: string, isNew = false) =>
      apply({
        send: async () => {
          if (isNew) await dataOf(api.PUT('/tags', { body: { tag_name: tag } }));
          await dataOf(api.POST('/chat/sessions/{id}/tags', { params: { path }, body: { tags: [tag] } }));
          if (isNew) await client.invalidateQueries({ queryKey: tagsQuery.queryKey });
        },
        shown: { tags: [...session.tags, tag] },
      }),
    removeTag: (tag: string) =>
      apply({
        send: () => dataOf(api.DELETE('/chat/sessions/{id}/tags', { params: { path, query: { tag_name: tag } } })),
        shown: { tags: session.tags.filter((one) => one !== tag) },
      }),
    markUnread: () =>
      apply({
        said: 'Marked as unread',
        send: () => dataOf(api.POST('/chat/sessions/{id}/unread', { params: { path } })),
        row: { unread: true },
      }),
    decide: (id: string, answer: 'confirm' | 'reject') =>
      apply({
        said: answer === 'confirm' ? 'Confirmed' : 'Rejected',
        send: () => dataOf(api.POST(`/autopilot/confirmations/{id}/${answer}`, { params: { path: { id } } })),
      }),
  };
}
export type Actions = ReturnType<typeof useActions>;

/** What the controls of a conversation need. */
export interface ControlsProps {
  session: Session;
  me: Schemas['Me'];
  actions: Actions;
  onDetails: () => void;
}
