import { getContact } from '../contacts/service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { pageOf } from '../db/cursor.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, notFound, refused } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Reaction } from '../outbox/reactions.ts';
import {
  countCases,
  deleteCase,
  deleteTextsOfSessions,
  findCase,
  insertCases,
  listCases,
  lockCases,
  type NewCase,
  updateCase,
} from './cases.queries.ts';
import { casesIn } from './import.service.ts';
import type { CreateCase, UpdateCase } from './schema.ts';
import { caseFromSession } from './session-cases.service.ts';
import type { CaseDraft } from './table.ts';

const MAX_CASES = 500;

/** Returns a page of an org's cases, oldest first. */
export const pageOfCases = (db: Db, orgId: string, page: { cursor?: string | undefined; limit: number }) =>
  pageOf(db, page, (page) => listCases(db, orgId, page));

/**
 * Adds a case, by hand or from a session. Throws notFound for the session or the contact, invalid where messages are
 * missing, and conflict beyond 500 cases.
 */
export async function addCase(db: Db, orgId: string, given: CreateCase) {
  return inTransaction(db, async (trx) => {
    const draft = given.session_id === undefined ? caseByHand(given) : await caseFromSession(trx, orgId, given);
    if (draft.contact_id !== null) await getContact(trx, orgId, draft.contact_id);
    const [added] = await storeCases(trx, orgId, [draft]);
    if (added === undefined) throw notFound('case');
    return added;
  });
}

/** Adds the cases of a CSV file, all or none, and returns their number. Throws invalid with the row. */
export function importCases(db: Db, orgId: string, csv: string): Promise<{ imported: number }> {
  const drafts = casesIn(csv);
  return inTransaction(db, async (trx) => ({ imported: (await storeCases(trx, orgId, drafts)).length }));
}

async function storeCases(trx: Trx, orgId: string, drafts: CaseDraft[]) {
  await lockCases(trx, orgId);
  const remaining = MAX_CASES - (await countCases(trx, orgId));
  if (drafts.length > remaining)
    throw conflict(`An org can have ${MAX_CASES} cases: there is room for ${remaining}. Delete some first`);
  return insertCases(
    trx,
    drafts.map((draft) => rowOf(orgId, draft)),
  );
}

const rowOf = (orgId: string, { messages, stubs, checks, ...draft }: CaseDraft): NewCase => ({
  org_id: orgId,
  id: newId(),
  ...draft,
  messages: JSON.stringify(messages),
  stubs: JSON.stringify(stubs),
  checks: JSON.stringify(checks),
});

function caseByHand({ messages, message_id, ...given }: CreateCase): CaseDraft {
  if (messages === undefined) throw refused('messages', 'is missing: give messages, or a session_id');
  if (message_id !== undefined) throw refused('message_id', 'needs a session_id');
  const { name, channel = 'web', contact_id = null, verified = false, stubs = [], checks } = given;
  return { name, messages, channel, contact_id, verified, stubs, checks, session_id: null };
}

/** Changes a case. Runs in progress use the case as it was. Throws notFound. */
export async function changeCase(
  db: Db,
  orgId: string,
  id: string,
  { messages, stubs, checks, ...change }: UpdateCase,
) {
  if (change.contact_id != null) await getContact(db, orgId, change.contact_id);
  const changed = await updateCase(db, orgId, id, {
    ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
    ...(messages !== undefined && { messages: JSON.stringify(messages) }),
    ...(stubs !== undefined && { stubs: JSON.stringify(stubs) }),
    ...(checks !== undefined && { checks: JSON.stringify(checks) }),
  });
  if (changed === undefined) throw notFound('case');
  return changed;
}

/** Returns a case. Throws notFound. */
export async function getCase(db: Db, orgId: string, id: string) {
  const evalCase = await findCase(db, orgId, id);
  if (evalCase === undefined) throw notFound('case');
  return evalCase;
}

/** Deletes a case. Its results in runs stay. Throws notFound. */
export async function removeCase(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteCase(db, orgId, id))) throw notFound('case');
}

/**
 * A reaction to `session-redacted`: deletes the cases that were made of the sessions, and the texts of their results. The
 * counts of runs stay.
 */
export const redactEvals: Reaction<'session-redacted'> = (trx, orgId, events) =>
  deleteTextsOfSessions(trx, orgId, [...new Set(events.map(({ subject_id }) => subject_id))]);
