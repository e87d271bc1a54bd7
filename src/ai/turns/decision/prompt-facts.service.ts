import { secretsOf } from '../../../actions/overrides/rules.ts';
import { getOverrides } from '../../../actions/overrides/service.ts';
import { memberOf } from '../../../collections/records.ts';
import { listSegmentsOf } from '../../../contacts/segments/service.ts';
import { getContactSnapshots } from '../../../contacts/snapshots.service.ts';
import type { Db } from '../../../db/connect.ts';
import { listInstructions, listRestrictingSegments } from '../../../knowledge/training/service.ts';
import type { OrgProfile } from '../../../orgs/service.ts';
import type { DecisionContext } from '../context.service.ts';
import type { OrgRef } from '../contract.ts';
import type { DecisionDeps } from '../deps.ts';

/** The facts of an org and a contact for a model, and the texts it must never say. */
export interface KnownFacts {
  instructions: string[];
  context: Record<string, string>;
  prohibitedTopics: string[];
  /** The contact's segments named by restrictions of training. */
  segments: string[];
  /** Values that replace arguments of actions. They are never told, and never said. */
  secrets: string[];
}

/** The bounds of the org's instructions and of training keep below this. Training from before there was one may exceed it. */
const MAX_TOLD_CHARACTERS = 160_000;
const MAX_FIELD_CHARACTERS = 2_000;

/** Returns the facts for a model besides the conversation, and the texts it must not say. */
export async function gatherFacts(
  { db, secrets, chatContextOf }: DecisionDeps,
  { orgId }: OrgRef,
  { session, settings, unanswered }: DecisionContext,
  org: Pick<OrgProfile, 'instructions' | 'settings'>,
): Promise<KnownFacts> {
  const contactId = session.contact_id;
  const [segments, chatContext, fields, overrides] = await Promise.all([
    listKnowledgeSegments(db, orgId, contactId),
    contactId === null ? null : chatContextOf(db, orgId, contactId),
    contactId === null ? {} : fieldsOf(db, orgId, contactId, settings.context_fields),
    getOverrides(db, secrets, orgId, {
      messageId: unanswered.at(-1)?.id,
      contactId: contactId ?? undefined,
    }),
  ]);
  const training = await listInstructions(db, orgId, { channel: session.channel, segments });
  const instructions = [
    ...(org.instructions === null ? [] : [org.instructions]),
    ...training.map(({ title, content }) => `${title}\n${content}`),
  ];
  return {
    instructions: fitting(instructions, MAX_TOLD_CHARACTERS),
    context: { ...fields, ...(chatContext !== null && { visit: chatContext.slice(0, MAX_FIELD_CHARACTERS) }) },
    prohibitedTopics: org.settings.prohibited_topics ?? [],
    segments,
    secrets: secretsOf(overrides),
  };
}

/** Lists the contact's segments named by restrictions of training. */
export async function listKnowledgeSegments(db: Db, orgId: string, contactId: string | null): Promise<string[]> {
  if (contactId === null) return [];
  const restricting = await listRestrictingSegments(db, orgId);
  return restricting.length === 0 ? [] : listSegmentsOf(db, orgId, contactId, restricting);
}

/** Returns the first texts within the limit, the last one of them in part. */
function fitting(texts: string[], most: number): string[] {
  let remaining = most;
  return texts.flatMap((text) => {
    const part = text.slice(0, Math.max(0, remaining)).toWellFormed();
    remaining -= part.length;
    return part === '' ? [] : [part];
  });
}

/** Returns the fields of a contact released by the org's settings. */
async function fieldsOf(
  db: DecisionDeps['db'],
  orgId: string,
  contactId: string,
  names: string[],
): Promise<Record<string, string>> {
  if (names.length === 0) return {};
  const shown = (await getContactSnapshots(db, orgId, [contactId])).get(contactId)?.shown;
  if (shown === undefined) return {};
  const values: Record<string, unknown> = { name: shown.name, email: shown.email, phone: shown.phone_number };
  return Object.fromEntries(
    names.flatMap((name) => {
      const key = name.replace(/^custom_data\./, '');
      const value = name === key ? values[name] : memberOf(shown.custom_data, key);
      return value === null || value === undefined ? [] : [[name, String(value).slice(0, MAX_FIELD_CHARACTERS)]];
    }),
  );
}
