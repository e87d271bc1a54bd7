import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { listActionAddresses } from '../actions/definitions/service.ts';
import { abandonRuns } from '../ai/calls/workflow-runs.service.ts';
import { withdrawWorkflow } from '../ai/workflow-tools/service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { cutToPage } from '../db/page-size.rules.ts';
import { inTransaction } from '../db/transaction.ts';
import { changed, conflict, invalid, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { announce } from '../outbox/announcing.ts';
import { enqueue } from '../outbox/outbox.ts';
import { lockSubscriptions } from '../outbox/subscriptions.ts';
import { hasSeen } from '../schemas/if-match.ts';
import type { Secrets } from '../secrets.ts';
import type { Json, Step } from './blocks/schema.ts';
import type { ActionAddress } from './credential-origins.rules.ts';
import { createSealer, maskEditorState, maskSteps, sealSteps, warningsOfCredentials } from './credentials.ts';
import { listHandoffHolds } from './handoff-hold/shared.queries.ts';
import {
  countActive,
  deleteAutomation,
  findCurrentVersion,
  findLatestVersion,
  findVersion,
  findVersions,
  hasManyRuns,
  hideAutomation,
  insertAutomation,
  insertVersion,
  type ListedVersion,
  listOpenRuns,
  listVersions,
  listWorkflows,
  lockActivations,
  lockAutomation,
  type NewVersion,
  setActiveVersion,
  type VersionRow,
} from './queries.ts';
import { wakeHandoffHold } from './runs/finish-run.service.ts';
import { startQueuedRuns, wakeRun } from './runs/run-queue.service.ts';
import { startRuns } from './runs/start-runs.service.ts';
import type { CreateWorkflow, UpdateWorkflow } from './schema.ts';
import { syncAiTool } from './triggers/ai-tools.service.ts';
import { withIanaZone } from './triggers/cron-zone.rules.ts';
import { encryptSecret, maskSecret, withoutMaskedSecret } from './triggers/secrets.rules.ts';
import { validateDefinition } from './validation/definition.ts';
import { warningsOfTrigger } from './validation/warnings.ts';

const TOKEN_BYTES = 32;
const MAX_SUMMARY = 2_000;
const MAX_ACTIVE_PER_TRIGGER = 100;
const MAX_ACTIVE_CHARACTERS = 5_000_000;
const INBOUND_PATHS: Record<string, string> = { webhook: 'hooks/workflows', 'form-trigger': 'hooks/forms' };

/** Returns versions of workflows as the API shows them. */
export async function toWorkflowAnswers(db: Db, publicUrl: string, orgId: string, versions: readonly VersionRow[]) {
  const actions = await listActionAddresses(db, orgId);
  return versions.map((version) => toWorkflowAnswer(publicUrl, version, actions));
}

function toWorkflowAnswer(
  publicUrl: string,
  { webhook_token, credential_origins: origins, ...version }: VersionRow,
  actions: readonly ActionAddress[],
) {
  const way = INBOUND_PATHS[version.trigger_type];
  const webhook_url = way === undefined ? null : `${publicUrl}/${way}/${version.workflow_id}/${webhook_token}`;
  const trigger_configuration = maskSecret(version.trigger_configuration);
  return {
    ...version,
    workflow_blocks: maskSteps(version.workflow_blocks),
    workflow_editor_state: maskEditorState(version.workflow_editor_state),
    trigger_configuration,
    webhook_url,
    warnings: [
      ...warningsOfTrigger(version.trigger_type, trigger_configuration),
      ...warningsOfCredentials({ steps: version.workflow_blocks, origins }, actions),
    ],
  };
}

/** Creates a workflow. Its first version is not active yet. Throws invalid with every problem and its step. */
export function createWorkflow(db: Db, secrets: Secrets, orgId: string, input: CreateWorkflow): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    const id = newId();
    await insertAutomation(trx, orgId, id, randomBytes(TOKEN_BYTES).toString('base64url'));
    const version = toValidVersion(input);
    const trigger_configuration = encryptSecret(secrets, orgId, id, {
      given: withIanaZone(version.trigger_configuration),
      before: null,
    });
    const sealer = createSealer(secrets, orgId, id);
    const actions = await listActionAddresses(trx, orgId);
    const { steps, origins } = sealSteps(sealer, version.workflow_blocks, { steps: [], origins: null }, actions);
    await insertVersion(trx, orgId, id, {
      ...version,
      workflow_blocks: steps,
      credential_origins: origins,
      workflow_editor_state: sealer.seal(version.workflow_editor_state, null),
      trigger_configuration,
    });
    return getLatestVersion(trx, orgId, id);
  });
}

/** Returns the active version of a workflow, or its latest if none is active. */
export async function getWorkflow(db: Db, orgId: string, id: string): Promise<VersionRow> {
  const version = await findCurrentVersion(db, orgId, id);
  if (version === undefined) throw notFound('workflow');
  return version;
}

async function getLatestVersion(trx: Trx, orgId: string, id: string): Promise<VersionRow> {
  const version = await findLatestVersion(trx, orgId, id);
  if (version === undefined) throw notFound('workflow');
  return version;
}

/** Returns a page of the org's workflows, oldest first. */
export async function pageOfWorkflows(
  db: Db,
  orgId: string,
  { cursor, limit }: { cursor: string | undefined; limit: number },
) {
  const listed = await listWorkflows(db, orgId, { after: cursor, limit: limit + 1 });
  const { items, last } = await readPage(db, orgId, listed, limit);
  return { items, next: last?.workflow_id ?? null };
}

/** Returns a page of a workflow's versions, newest first. Throws notFound. */
export async function pageOfVersions(
  db: Db,
  orgId: string,
  id: string,
  { before, limit }: { before: number | undefined; limit: number },
) {
  await getWorkflow(db, orgId, id);
  const listed = await listVersions(db, orgId, id, { before, limit: limit + 1 });
  const { items, last } = await readPage(db, orgId, listed, limit);
  return { items, next: last === undefined ? null : String(last.version_number) };
}

/**
 * Reads as many of the listed versions as a page may have, and at least one. Returns them with the last one if others
 * are behind it.
 */
async function readPage(db: Db, orgId: string, listed: ListedVersion[], limit: number) {
  const page = cutToPage(listed.slice(0, limit));
  const read = new Map(
    (
      await findVersions(
        db,
        orgId,
        page.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  const items = page.flatMap(({ id }) => read.get(id) ?? []);
  return { items, last: page.length < listed.length ? page.at(-1) : undefined };
}

interface SeenWorkflow {
  id: string;
  /** The number of its latest version as the caller has seen it, with or without quotation marks, or `*`. */
  ifMatch: string | undefined;
}

/**
 * Adds a version without activating it, unless it would be as the latest one. Fields not given are as in that. Runs stay
 * on their version. Throws notFound and invalid, and changed if the latest version is not the one that was seen.
 */
export function updateWorkflow(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { id, ifMatch, ...input }: SeenWorkflow & UpdateWorkflow,
): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    if ((await lockAutomation(trx, orgId, id)) === undefined) throw notFound('workflow');
    const latest = await getLatestVersion(trx, orgId, id);
    assertLatest(latest.version_number, ifMatch);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const { trigger_configuration: stored } = latest;
    const wanted =
      input.trigger_configuration === undefined ? maskSecret(stored) : withIanaZone(input.trigger_configuration);
    const version = toValidVersion({
      ...latest,
      workflow_blocks: maskSteps(latest.workflow_blocks),
      workflow_editor_state: maskEditorState(latest.workflow_editor_state),
      ...given,
      trigger_configuration: withoutMaskedSecret(wanted, stored),
    });
    const sealer = createSealer(secrets, orgId, id);
    const actions = await listActionAddresses(trx, orgId);
    const before = { steps: latest.workflow_blocks, origins: latest.credential_origins };
    const { steps, origins } = sealSteps(sealer, version.workflow_blocks, before, actions);
    const next = {
      ...version,
      workflow_blocks: steps,
      credential_origins: origins,
      workflow_editor_state: sealer.seal(version.workflow_editor_state, latest.workflow_editor_state),
      trigger_configuration: encryptSecret(secrets, orgId, id, { given: wanted, before: stored }),
    };
    if (isSameVersion(next, latest)) return latest;
    await insertVersion(trx, orgId, id, next);
    return getLatestVersion(trx, orgId, id);
  });
}

function assertLatest(latest: number, ifMatch: string | undefined): void {
  if (hasSeen(ifMatch, (tag) => Number(tag) === latest)) return;
  throw changed(
    `The workflow has changed since: its latest version is ${latest}. Read it at GET /workflows/{id}/versions, and repeat your change with If-Match: ${latest}`,
  );
}

/** Whether two versions are stored alike. */
const isSameVersion = (one: VersionContent, other: VersionContent) =>
  isDeepStrictEqual(contentOf(one), contentOf(other));

type VersionContent = Omit<NewVersion, 'credential_origins'>;

const contentOf = ({ name, description, trigger_type, ...version }: VersionContent) => ({
  ...{ name, description, trigger_type },
  trigger_configuration: asStored(version.trigger_configuration),
  trigger_constraints: asStored(version.trigger_constraints),
  workflow_blocks: asStored(version.workflow_blocks),
  workflow_editor_state: asStored(version.workflow_editor_state),
});

const asStored = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/**
 * Activates a version, by default the latest: the trigger starts it from now on. Throws notFound, and conflict if too
 * many are active already.
 */
export function activateWorkflow(db: Db, orgId: string, id: string, number: number | undefined): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    if ((await lockAutomation(trx, orgId, id)) === undefined) throw notFound('workflow');
    const version = await (number === undefined
      ? findLatestVersion(trx, orgId, id)
      : findVersion(trx, orgId, id, number));
    if (version === undefined) throw notFound('version');
    await assertFewActive(trx, orgId, version);
    await lockSubscriptions(trx, orgId);
    await setActiveVersion(trx, orgId, id, version.id);
    await syncAiTool(trx, orgId, version);
    await announce(trx, orgId, [{ type: 'workflow-changed', subject_id: id, payload: {} }]);
    return { ...version, is_active: true };
  });
}

/** Throws conflict if the org has too many active workflows with the trigger of this version: each event concerns all. */
async function assertFewActive(trx: Trx, orgId: string, version: VersionRow): Promise<void> {
  const { workflow_id: id, trigger_type: triggerType, workflow_blocks } = version;
  await lockActivations(trx, orgId);
  const { workflows, characters } = await countActive(trx, orgId, { id, triggerType });
  if (workflows >= MAX_ACTIVE_PER_TRIGGER)
    throw conflict(
      `At most ${MAX_ACTIVE_PER_TRIGGER} workflows with the trigger ${triggerType} can be active: deactivate another one`,
    );
  if (characters + JSON.stringify(workflow_blocks).length > MAX_ACTIVE_CHARACTERS)
    throw conflict(
      `The steps of the active workflows with the trigger ${triggerType} can have at most ${MAX_ACTIVE_CHARACTERS} characters together: deactivate another one`,
    );
}

/** Deactivates a workflow: its trigger starts no more runs. Runs in progress continue. Throws notFound. */
export function deactivateWorkflow(db: Db, orgId: string, id: string): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    if ((await lockAutomation(trx, orgId, id)) === undefined) throw notFound('workflow');
    await setActiveVersion(trx, orgId, id, null);
    await withdrawWorkflow(trx, orgId, id);
    await announce(trx, orgId, [{ type: 'workflow-changed', subject_id: id, payload: {} }]);
    return getLatestVersion(trx, orgId, id);
  });
}

/**
 * Deletes a workflow at once, with its versions and runs. Runs in progress end. If it has many runs, it is hidden with them at
 * once, and they are deleted afterwards. Throws notFound.
 */
export function deleteWorkflow(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    if ((await lockAutomation(trx, orgId, id)) === undefined) throw notFound('workflow');
    const open = await listOpenRuns(trx, orgId, id);
    const holds = await listHandoffHolds(trx, orgId, id);
    await abandonRuns(trx, orgId, id);
    await withdrawWorkflow(trx, orgId, id);
    if (await hasManyRuns(trx, orgId, id)) await hideAutomation(trx, orgId, id);
    else await deleteAutomation(trx, orgId, id);
    await enqueue(
      trx,
      orgId,
      ...open.map((runId) => wakeRun(orgId, runId)),
      ...holds.map((hold) => wakeHandoffHold({ orgId, sessionId: hold.session_id, holdId: hold.id })),
    );
    await announce(trx, orgId, [{ type: 'workflow-changed', subject_id: id, payload: {} }]);
    await startQueuedRuns(trx, orgId);
  });
}

/**
 * Starts an active workflow by hand. Returns the run's id, or null if the constraints do not hold. Throws notFound, and
 * conflict if the workflow is inactive or has another trigger.
 */
export function triggerWorkflow(db: Db, orgId: string, id: string, input: Json): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const version = await getWorkflow(trx, orgId, id);
    if (!version.is_active) throw conflict('The workflow is not active: see POST /workflows/{id}/activate');
    if (version.trigger_type !== 'manual-trigger')
      throw conflict(
        `The workflow starts by ${version.trigger_type}, not by hand: see POST /workflows/simulate to try it`,
      );
    const triggerEvent = { key: `manual/${newId()}`, occurredAt: new Date(), depth: 0, output: { input } };
    const [runId = null] = await startRuns(trx, orgId, 'manual-trigger', {
      triggerEvents: [triggerEvent],
      cause: 'manual',
      only: id,
    });
    return runId;
  });
}

/** Returns the steps of a definition. Throws invalid with every problem and its step. */
export function getValidSteps(
  definition: Pick<NewVersion, 'trigger_configuration' | 'trigger_constraints'> & {
    trigger_type: unknown;
    workflow_blocks: unknown;
  },
): Step[] {
  const { issues, steps } = validateDefinition(definition);
  if (steps !== undefined) return steps;
  const problems = issues.map(({ step_id, message }) => ({
    path: step_id === null ? 'body' : `body.workflow_blocks.${step_id}`,
    message,
  }));
  const summary = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw invalid(`The workflow is not valid: ${summary.slice(0, MAX_SUMMARY)}`, problems);
}

function toValidVersion(input: CreateWorkflow | VersionRow): Omit<NewVersion, 'credential_origins'> {
  const { name, description = null, trigger_type, trigger_configuration = null } = input;
  const { trigger_constraints = null, workflow_blocks, workflow_editor_state = null } = input;
  const steps = getValidSteps({ trigger_type, trigger_configuration, trigger_constraints, workflow_blocks });
  return {
    name,
    description,
    trigger_type,
    trigger_configuration,
    trigger_constraints,
    workflow_blocks: steps,
    workflow_editor_state,
  };
}
