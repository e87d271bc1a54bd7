import type { PastConversation, PastMessage } from '../../conversations/import/rows.rules.ts';
import { addPastConversations, extendPastConversations } from '../../conversations/import/service.ts';
import type { Trx } from '../../db/connect.ts';
import { tagKeyOf } from '../../desk/tags/rules.ts';
import { addTags } from '../../desk/tags/service.ts';
import { listTeamNames } from '../../desk/teams/service.ts';
import { idOf } from '../../ids.ts';
import { listMemberAddresses } from '../../orgs/members/service.ts';
import { type Actor, CONTACT, SYSTEM } from '../../schemas/actor.ts';
import { type Finding, leftOut, type Outcome } from '../findings.rules.ts';
import type { AgentRecord, ConversationRecord, MessageRecord, SourceRecord } from '../records.rules.ts';
import { type SavedPerson, savePersons } from './contacts.service.ts';
import {
  findImported,
  type ImportedRecord,
  lockExistingContacts,
  type Origin,
  upsertImported,
} from './shared.queries.ts';

interface Member {
  id: number;
  email: string;
  name: string;
}

/** What conversations refer to. */
interface Directory {
  origin: Origin;
  /** The contacts of persons, by their ids in the source. */
  persons: Map<string, SavedPerson>;
  /** The agents that were imported, by their ids in the source. */
  agents: Map<string, AgentRecord>;
  /** The contacts that other authors were imported as, by their ids in the source. */
  contactAuthors: Map<string, string>;
  members: Map<string, Member>;
  teams: Map<string, string>;
  tagKeys: Set<string>;
}

/** A conversation with what was left out of it. */
interface Prepared {
  externalId: string;
  conversation: PastConversation;
  findings: Finding[];
}

/** What is remembered of a session. */
type SessionData = { last_seq: number };

/**
 * Imports conversations as sessions. One that was imported before gets what is new in it, unless it was continued here.
 * Nothing reacts to it.
 */
export async function importConversations(trx: Trx, origin: Origin, records: SourceRecord[]): Promise<Outcome[]> {
  const found = records.flatMap((record) => (record.kind === 'conversation' ? [record] : []));
  const unique = new Map(found.map((record) => [record.conversation.externalId, record]));
  const directory = await readDirectory(
    trx,
    origin,
    [...unique.values()].map(({ conversation }) => conversation),
  );
  const outcomes = new Map<string, Outcome>();
  const prepared: Prepared[] = [];
  for (const { conversation, findings } of unique.values()) {
    const one = prepare(conversation, directory, findings);
    if ('result' in one) outcomes.set(conversation.externalId, one);
    else prepared.push(one);
  }
  for (const outcome of await savePrepared(trx, origin, prepared)) outcomes.set(outcome.externalId ?? '', outcome);
  return records.map((record): Outcome => {
    if (record.kind === 'left_out') return { result: 'left_out', ...record };
    if (record.kind !== 'conversation') throw new Error('a file of conversations has conversations');
    const { externalId } = record.conversation;
    const outcome = outcomes.get(externalId);
    outcomes.delete(externalId); // a second record of the same conversation in a batch counts as unchanged
    return outcome ?? { result: 'unchanged', externalId, findings: [] };
  });
}

async function readDirectory(trx: Trx, origin: Origin, conversations: ConversationRecord[]): Promise<Directory> {
  const described = conversations.flatMap(({ person }) => ('data' in person ? [person] : []));
  const persons = await savePersons(trx, origin, described);
  const authors = conversations.flatMap(({ messages }) =>
    messages.flatMap(({ author }) => (author.is === 'unknown' ? [author.id] : [])),
  );
  const referred = conversations.flatMap(({ person: { externalId } }) => (persons.has(externalId) ? [] : [externalId]));
  const contacts = await findImported(trx, origin, 'contact', [...new Set([...referred, ...authors])]);
  const ids = [...contacts.values()].flatMap(({ id }) => id ?? []);
  const existing = await lockExistingContacts(trx, origin.orgId, ids);
  for (const externalId of referred) addReferred(persons, contacts.get(externalId), existing);
  const assigned = conversations.flatMap(({ assignee }) => assignee?.externalId ?? []);
  const agents = await findImported<{ name?: string; email?: string }>(trx, origin, 'agent', [...assigned, ...authors]);
  const members = await listMemberAddresses(trx, origin.orgId);
  const teams = await listTeamNames(trx, origin.orgId);
  return {
    origin,
    persons,
    agents: new Map([...agents].map(([externalId, { data }]) => [externalId, { externalId, ...data }])),
    contactAuthors: new Map([...contacts].flatMap(([externalId, { id }]) => (id === null ? [] : [[externalId, id]]))),
    members: new Map(members.map((member) => [member.email, member])),
    teams: new Map(teams.map(({ id, name }) => [name.toLowerCase(), id])),
    tagKeys: await addTags(trx, origin.orgId, [...new Set(conversations.flatMap(({ tags }) => tags))]),
  };
}

function addReferred(
  persons: Map<string, SavedPerson>,
  contact: ImportedRecord<unknown> | undefined,
  existing: Set<string>,
): void {
  if (contact === undefined || contact.id === null) return;
  const isThere = existing.has(contact.id);
  persons.set(
    contact.external_id,
    isThere
      ? { contactId: contact.id, result: 'unchanged', findings: [] }
      : {
          contactId: undefined,
          result: 'left_out',
          findings: [{ code: 'deleted_here', reason: 'The contact was imported and then deleted here' }],
        },
  );
}

/** Resolves what a conversation refers to. Returns an outcome if it cannot be imported. */
function prepare(record: ConversationRecord, directory: Directory, found: Finding[]): Prepared | Outcome {
  const { externalId, person: described, messages } = record;
  const person = directory.persons.get(described.externalId);
  if (person === undefined)
    return leftOut(
      externalId,
      'contact_unknown',
      `The person ${described.externalId} is unknown: import the contacts first, and this file again`,
    );
  if (person.contactId === undefined) return { result: 'left_out', externalId, findings: person.findings };
  const findings = [...found, ...person.findings];
  const assignee = assigneeOf(record, directory, findings);
  const written = messages.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return {
    externalId,
    findings,
    conversation: {
      contactId: person.contactId,
      channel: record.channel,
      isClosed: record.isClosed,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt,
      closedAt: record.closedAt,
      assigneeId: assignee?.id ?? null,
      teamId: teamOf(record, directory, findings),
      customData: record.data,
      tagKeys: tagsOf(record, directory, findings),
      messages: messagesOf(written, { record, contactId: person.contactId, directory, findings }),
    },
  };
}

function memberOf({ externalId, email }: AgentRecord, { agents, members }: Directory): Member | undefined {
  const address = email ?? (externalId === undefined ? undefined : agents.get(externalId)?.email);
  return address === undefined ? undefined : members.get(address.toLowerCase());
}

function assigneeOf({ assignee }: ConversationRecord, directory: Directory, findings: Finding[]): Member | undefined {
  if (assignee === undefined) return undefined;
  const member = memberOf(assignee, directory);
  const name =
    assignee.email ?? directory.agents.get(assignee.externalId ?? '')?.email ?? assignee.name ?? assignee.externalId;
  if (member === undefined)
    findings.push({
      code: 'assignee_unknown',
      reason: `${name ?? 'The assignee'} is no member: the session is not assigned`,
    });
  return member;
}

function teamOf({ team }: ConversationRecord, { teams }: Directory, findings: Finding[]): string | null {
  if (team === undefined) return null;
  const id = teams.get(team.toLowerCase());
  if (id === undefined) findings.push({ code: 'team_unknown', reason: `There is no team "${team.slice(0, 200)}"` });
  return id ?? null;
}

function tagsOf({ tags }: ConversationRecord, { tagKeys }: Directory, findings: Finding[]): string[] {
  const keys = [...new Set(tags.map(tagKeyOf))];
  const kept = keys.filter((key) => tagKeys.has(key));
  if (kept.length < keys.length)
    findings.push({
      code: 'tags_left_out',
      reason: `${keys.length - kept.length} tags: an org has at most 1000, of up to 100 characters`,
    });
  return kept;
}

interface MessageContext {
  record: ConversationRecord;
  contactId: string;
  directory: Directory;
  findings: Finding[];
}

function messagesOf(
  messages: MessageRecord[],
  { record, contactId, directory, findings }: MessageContext,
): PastMessage[] {
  const { source, orgId } = directory.origin;
  const unknown = new Set<string>();
  const byId = new Map(
    messages.map((message): [string, PastMessage] => {
      const id = idOf(orgId, 'import', source, record.externalId, message.externalId);
      return [id, { id, at: message.at, text: message.text, ...writerOf(message, { contactId, directory, unknown }) }];
    }),
  );
  if (unknown.size > 0)
    findings.push({
      code: 'author_unknown',
      reason: `The authors ${[...unknown].slice(0, 5).join(', ')} are unknown: their messages are shown as those of agents without a name`,
    });
  return [...byId.values()];
}

type Writer = Pick<PastMessage, 'sender' | 'data' | 'actor'>;

interface WriterContext {
  contactId: string;
  directory: Directory;
  /** Gets the ids of authors whom nobody knows. */
  unknown: Set<string>;
}

/** Returns who wrote a message. An author whom nobody knows is most likely an agent. */
function writerOf({ author, kind }: MessageRecord, { contactId, directory, unknown }: WriterContext): Writer {
  if (author.is === 'system') return kind === 'note' ? noteBy() : { sender: 'system', data: {}, actor: SYSTEM };
  const writer =
    author.is === 'contact' ? contactId : author.is === 'unknown' ? directory.contactAuthors.get(author.id) : undefined;
  if (writer !== undefined)
    return kind === 'note' ? noteBy() : { sender: 'contact', data: {}, actor: { ...CONTACT, id: writer } };
  const agent = author.is === 'agent' ? author.agent : directory.agents.get(author.is === 'unknown' ? author.id : '');
  if (agent === undefined && author.is === 'unknown') unknown.add(author.id);
  const member = agent === undefined ? undefined : memberOf(agent, directory);
  const name = member?.name ?? agent?.name;
  if (kind === 'note') return noteBy(member, name);
  return { sender: 'human_agent', data: { sender_id: member?.id, sender_name: name }, actor: actorOf(member) };
}

const noteBy = (member?: Member, name?: string): Writer => ({
  sender: null,
  data: { human_agent_id: member?.id ?? null, sender_name: name },
  actor: actorOf(member),
});

const actorOf = (member: Member | undefined): Actor =>
  member === undefined ? SYSTEM : { kind: 'member', id: member.id, name: member.name };

async function savePrepared(trx: Trx, origin: Origin, prepared: Prepared[]): Promise<Outcome[]> {
  const ids = prepared.map(({ externalId }) => externalId);
  const imported = await findImported<SessionData>(trx, origin, 'session', ids);
  const created = prepared.filter(({ externalId }) => !imported.has(externalId));
  const extended = prepared.flatMap((one) => {
    const { id, data } = imported.get(one.externalId) ?? {};
    return id == null || data === undefined ? [] : [{ ...one, session: { id, lastSeq: data.last_seq } }];
  });
  const sessions = await addPastConversations(
    trx,
    origin.orgId,
    created.map(({ conversation }) => conversation),
  );
  const extensions = await extendPastConversations(trx, origin.orgId, extended);
  await upsertImported(trx, origin, 'session', [
    ...created.flatMap(({ externalId }, nth) => {
      const session = sessions[nth];
      return session === undefined
        ? []
        : [{ external_id: externalId, id: session.id, data: { last_seq: session.lastSeq } }];
    }),
    ...extended.flatMap(({ externalId, session }, nth) => {
      const extension = extensions[nth];
      return extension?.result === 'updated'
        ? [{ external_id: externalId, id: session.id, data: { last_seq: extension.lastSeq } }]
        : [];
    }),
  ]);
  return [
    ...created.map(({ externalId, findings }): Outcome => ({ result: 'created', externalId, findings })),
    ...extended.map(({ externalId, findings }, nth): Outcome => {
      const result = extensions[nth]?.result ?? 'unchanged';
      if (result === 'continued') return { result: 'unchanged', externalId, findings: [CONTINUED_HERE] };
      return { result, externalId, findings: result === 'updated' ? findings : [] };
    }),
  ];
}

const CONTINUED_HERE: Finding = {
  code: 'continued_here',
  reason: 'The session was continued here: the new messages of the file are left out',
};
