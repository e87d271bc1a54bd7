import { dataLimitViolationOf, mergeData } from '../../contacts/saving/merge.rules.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { tagKeyOf } from '../../desk/tags/rules.ts';
import { lockTagsShared } from '../../desk/tags/service.ts';
import { lockTeamShared } from '../../desk/teams/service.ts';
import { refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { addNotifications } from '../../notifications/service.ts';
import { lockMember } from '../../orgs/members/service.ts';
import { readSettings } from '../../orgs/service.ts';
import { announce } from '../../outbox/announcing.ts';
import { announceWithState } from '../announcements.service.ts';
import { assignAfterCommit } from '../assignment/queues.service.ts';
import { assignInTeam, findAssignee, reassign, reviewAssignee, updateQueuePosition } from '../assignment/service.ts';
import { changeSession, recordEvents, type SessionEvent } from '../change-session.service.ts';
import { takeSentDraft } from '../composing/drafts.service.ts';
import { startHandoff } from '../handoff/service.ts';
import { listLastMessages } from '../messages/shared.queries.ts';
import { deleteSessionTags, insertSessionTags, type LockedSession } from '../queries.ts';
import { summarizesIf, summaryOfResolution } from '../summary/service.ts';
import type { Handoff } from '../table.ts';
import type { AssignSession } from './actions.schema.ts';
import { closingPayloadOf } from './closing.rules.ts';
import type { UpdateSession } from './schema.ts';
import { lockSession } from './service.ts';

/** Changes a session's status and data. Throws notFound, and invalid for a custom status unknown to the org. */
export function applySessionUpdate(db: Db, orgId: string, id: string, input: UpdateSession): Promise<void> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, id);
    if (typeof input.custom_status_id === 'number') await assertCustomStatus(trx, orgId, input.custom_status_id);

    const to = input.status ?? session.status;
    const customStatus =
      input.custom_status_id ?? (keepsCustomStatus(session, input) ? session.custom_status_id : null);
    const isMoved = to !== session.status;
    const customData = changedData('custom_data', session, input);
    const editableData = changedData('editable_custom_data', session, input);
    const events: SessionEvent[] = [];
    const isResolution = isMoved && to === 'closed_resolved';
    const closingId = newId();
    if (isMoved || customStatus !== session.custom_status_id) {
      const moved = { from: session.status, to, custom_status_id: customStatus };
      const payload = isResolution
        ? closingPayloadOf(input.session_closed_payload ?? session.session_closed_payload)
        : {};
      events.push({ id: closingId, type: 'status_changed', data: { ...moved, ...payload } });
    }
    if (isResolution && (await readSettings(trx, orgId)).csat) events.push({ id: newId(), type: 'csat_requested' });
    const keys = [...customData.changed, ...editableData.changed];
    if (keys.length > 0) events.push({ id: newId(), type: 'custom_data_changed', data: { keys } });
    if (events.length === 0 && input.session_closed_payload === undefined) return;

    const summary = isResolution
      ? await summaryOfResolution(trx, orgId, id, input.generate_summary_and_sentiment_on_resolve)
      : {};
    const change = {
      ...summary,
      status: to,
      custom_status_id: customStatus,
      ...(isMoved ? { isClosed: to !== 'open', isResolution } : {}),
      ...(isResolution ? { reflects_resolution: input.reflect_status_change_for_integration } : {}),
      ...(isMoved && to === 'open' && session.handoff === null ? { ai_closure_type: null } : {}),
      custom_data: JSON.stringify(customData.value),
      editable_custom_data: JSON.stringify(editableData.value),
      ...(isMoved && to === 'open' ? { session_closed_payload: null } : {}),
      ...(input.session_closed_payload === undefined
        ? {}
        : { session_closed_payload: JSON.stringify(input.session_closed_payload) }),
    };
    await changeSession(trx, orgId, session, { ...change, events });
    if (isResolution) {
      const reflects = input.reflect_status_change_for_integration;
      const payload = { reflects, ...summarizesIf(summary), closing_id: closingId };
      await announceWithState(trx, orgId, [{ type: 'ticket-resolved', subject_id: id, payload }]);
    }
    if (isMoved && to === 'open') {
      await reviewAssignee(trx, orgId, session);
      const payload = { reflects: input.reflect_status_change_for_integration };
      await announce(trx, orgId, [{ type: 'ticket-reopened', subject_id: id, payload }]);
    }
    if (isMoved && session.status === 'open' && session.assignee_id !== null) {
      await announce(trx, orgId, [{ type: 'staffing-changed', subject_id: orgId, payload: {} }]);
      assignAfterCommit(trx, orgId);
    }
  });
}

/** Returns the values by key after the change, and the changed keys. Throws invalid for too much data. */
function changedData(field: 'custom_data' | 'editable_custom_data', session: LockedSession, input: UpdateSession) {
  const before = session[field];
  const change = input[field] ?? {};
  const value = mergeData(before, change);
  const excess = dataLimitViolationOf(value);
  if (excess !== undefined) throw refused(field, excess);
  return { value, changed: Object.keys(change).filter((key) => ownValue(before, key) !== ownValue(value, key)) };
}

const ownValue = (data: Record<string, string>, key: string) => (Object.hasOwn(data, key) ? data[key] : undefined);

/** Returns whether the custom status stays: it ends with the next change of `status`. */
const keepsCustomStatus = (session: LockedSession, { status, custom_status_id }: UpdateSession) =>
  custom_status_id === undefined && (status === undefined || status === session.status);

/** Lists the org's own statuses of sessions. */
export const listCustomStatuses = async (db: Db, orgId: string) =>
  (await readSettings(db, orgId)).session_statuses ?? [];

async function assertCustomStatus(trx: Trx, orgId: string, id: number): Promise<void> {
  if ((await listCustomStatuses(trx, orgId)).some((status) => status.id === id)) return;
  throw refused('custom_status_id', 'must be the id of one of session_statuses: PATCH /org/settings defines them');
}

/** Hands a session off to agents. An existing handoff stays. `isExternal` is as in startHandoff. Throws notFound. */
export function handOff(
  db: Db,
  orgId: string,
  id: string,
  { reason, isExternal = false }: { reason: string | null; isExternal?: boolean },
): Promise<Handoff> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, id);
    if (session.handoff !== null) return session.handoff;
    const [last] = await listLastMessages(trx, orgId, id, { after: 0, limit: 1 });
    const isAnswered = last?.sender === 'human_agent';
    const events: SessionEvent[] = [{ id: newId(), type: 'handoff', data: { reason }, isAnswered }];
    const handoff = await startHandoff(trx, orgId, session, { reason, isExternal, events });
    if (session.status === 'open') await assignInTeam(trx, orgId, session);
    return handoff;
  });
}

/**
 * Assigns a session to a member, a team, both or nobody. If the assignee is absent, and not null, the team picks one by
 * its strategy. `by` is the acting member. Throws notFound, and invalid for a member or team unknown to the org.
 */
export function assignSession(
  db: Db,
  orgId: string,
  id: string,
  { by, ...input }: AssignSession & { by?: number | undefined },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, id);
    const { assignee_id = session.assignee_id, team_id = session.team_id } = input;
    if (assignee_id !== null && !(await lockMember(trx, orgId, assignee_id))) {
      throw refused('assignee_id', 'must be the id of a member of the org: GET /members lists them');
    }
    if (team_id !== null && !(await lockTeamShared(trx, orgId, team_id))) {
      throw refused('team_id', 'must be the id of a team: GET /teams lists them');
    }
    const isHeld = team_id === null || input.assignee_id === null;
    await updateQueuePosition(trx, orgId, id, isHeld ? 'none' : team_id === session.team_id ? 'kept' : 'last');
    const isPicked = team_id !== null && input.assignee_id === undefined && session.status === 'open';
    const assignee = isPicked ? await findAssignee(trx, orgId, session, team_id) : assignee_id;
    await reassign(trx, orgId, session, { assignee_id: assignee, team_id, by });
  });
}

interface NewNote {
  text: string;
  authorId: number | null;
  mentions?: number[];
  draft_updated_at?: string | undefined;
}

/**
 * Adds a note visible to the team only, and returns its id. Mentioned members hear of it, but for the author. Throws
 * notFound, invalid for a mention of a non-member, and changed for a draft not as expected.
 */
export function addNote(
  db: Db,
  orgId: string,
  id: string,
  { text, authorId, mentions = [], draft_updated_at: expected }: NewNote,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    await lockSession(trx, orgId, id);
    await takeSentDraft(trx, orgId, { sessionId: id, userId: authorId, kind: 'note', text, expected });
    for (const mentioned of mentions)
      if (!(await lockMember(trx, orgId, mentioned)))
        throw refused('mentions', `${mentioned} must be the id of a member of the org: GET /members lists them`);
    const noteId = newId();
    const data = { human_agent_id: authorId, ...(mentions.length > 0 && { mentions }) };
    await recordEvents(trx, orgId, id, [{ id: noteId, type: 'human_agent_comment', content: text, data }]);
    const told = mentions.filter((mentioned) => mentioned !== authorId);
    const news = { note_id: noteId, author_id: authorId };
    await addNotifications(trx, orgId, told, { kind: 'mention', sessionId: id, data: news });
    return noteId;
  });
}

/** Adds tags to a session. Throws notFound, and invalid for tags unknown to the org. */
export function addTags(db: Db, orgId: string, id: string, names: string[]): Promise<void> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, id);
    const { keys, unknown } = await lockTagsShared(trx, orgId, names);
    if (unknown.length > 0) throw refused('tags', `the org has no tag ${unknown.join(', ')}: PUT /tags makes one`);
    const added = await insertSessionTags(trx, orgId, id, keys);
    await changeSession(trx, orgId, session, { events: tagEventsOf('tag_added', added) });
  });
}

/** Removes a tag from a session, by its name in any spelling, or all tags. Throws notFound. */
export function removeTags(db: Db, orgId: string, id: string, name: string | undefined): Promise<void> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, id);
    const key = name === undefined ? null : tagKeyOf(name);
    const removed = await deleteSessionTags(trx, orgId, id, key);
    await changeSession(trx, orgId, session, { events: tagEventsOf('tag_removed', removed) });
  });
}

const tagEventsOf = (type: 'tag_added' | 'tag_removed', names: string[]): SessionEvent[] =>
  names.map((tag_name) => ({ id: newId(), type, data: { tag_name } }));
