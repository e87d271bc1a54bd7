import { randomBytes } from 'node:crypto';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { announce } from '../outbox/events.ts';
import { enqueue } from '../outbox/outbox.ts';
import type { Secrets } from '../secrets.ts';
import { admitRuns, wakeRun } from './admission.service.ts';
import type { Json, Step } from './blocks.schema.ts';
import { runEnded } from './ending.service.ts';
import { listGatesOf } from './gates.queries.ts';
import {
  deleteAutomation,
  findCurrent,
  findLatest,
  findVersion,
  insertAutomation,
  insertVersion,
  listOpenRuns,
  listVersions,
  listWorkflows,
  lockAutomation,
  type NewVersion,
  setActive,
  type VersionRow,
} from './queries.ts';
import type { CreateWorkflow, UpdateWorkflow } from './schema.ts';
import { startVersion, wholeOutput } from './starting.service.ts';
import { sealed, withMask, withoutMask } from './trigger-secrets.rules.ts';
import { validateDefinition } from './validation.ts';

const TOKEN_BYTES = 32;
const VERSIONS_SHOWN = 100;
const MOST_OF_SUMMARY = 2_000;
const POSTED_TO: Record<string, string> = { webhook: 'hooks/workflows', 'form-trigger': 'hooks/forms' };

/** A workflow in one of its versions, as answers show it. */
export function shownWorkflow(publicUrl: string, { webhook_token, ...version }: VersionRow) {
  const way = POSTED_TO[version.trigger_type];
  const webhook_url = way === undefined ? null : `${publicUrl}/${way}/${version.workflow_id}/${webhook_token}`;
  return { ...version, trigger_configuration: withMask(version.trigger_configuration), webhook_url };
}

/** Makes a workflow, whose first version is not active yet. Throws invalid, naming every problem with its step. */
export function createWorkflow(db: Db, secrets: Secrets, orgId: string, input: CreateWorkflow): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    const id = newId();
    await insertAutomation(trx, orgId, id, randomBytes(TOKEN_BYTES).toString('base64url'));
    const version = valid(input);
    const trigger_configuration = sealed(secrets, orgId, id, version.trigger_configuration, null);
    await insertVersion(trx, orgId, id, { ...version, trigger_configuration });
    return (await findLatest(trx, orgId, id)) as VersionRow;
  });
}

/** The active version of a workflow, else its latest. Throws notFound. */
export async function getWorkflow(db: Db, orgId: string, id: string): Promise<VersionRow> {
  const version = await findCurrent(db, orgId, id);
  if (version === undefined) throw notFound('workflow');
  return version;
}

/** A page of the org's workflows, oldest first. */
export async function pageOfWorkflows(
  db: Db,
  orgId: string,
  { cursor, limit }: { cursor: string | undefined; limit: number },
) {
  const rows = await listWorkflows(db, orgId, { after: cursor, limit: limit + 1 });
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.workflow_id ?? null) : null };
}

/** The versions of a workflow, newest first. Throws notFound. */
export async function readVersions(db: Db, orgId: string, id: string): Promise<VersionRow[]> {
  await getWorkflow(db, orgId, id);
  return listVersions(db, orgId, id, VERSIONS_SHOWN);
}

/** Adds a version that is not active yet: what is not given is as in the latest. Runs stay on theirs. Throws notFound and invalid. */
export function changeWorkflow(
  db: Db,
  secrets: Secrets,
  orgId: string,
  id: string,
  input: UpdateWorkflow,
): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    if ((await lockAutomation(trx, orgId, id)) === undefined) throw notFound('workflow');
    const latest = (await findLatest(trx, orgId, id)) as VersionRow;
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const { trigger_configuration: before } = latest;
    const wanted = input.trigger_configuration === undefined ? withMask(before) : input.trigger_configuration;
    const version = valid({ ...latest, ...given, trigger_configuration: withoutMask(wanted, before) });
    const trigger_configuration = sealed(secrets, orgId, id, wanted, before);
    await insertVersion(trx, orgId, id, { ...version, trigger_configuration });
    return (await findLatest(trx, orgId, id)) as VersionRow;
  });
}

/** Has a version, the latest unless another is named, be started by its trigger from now on. Throws notFound. */
export function activateWorkflow(db: Db, orgId: string, id: string, number: number | undefined): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    if ((await lockAutomation(trx, orgId, id)) === undefined) throw notFound('workflow');
    const version = await (number === undefined ? findLatest(trx, orgId, id) : findVersion(trx, orgId, id, number));
    if (version === undefined) throw notFound('version');
    await setActive(trx, orgId, id, version.id);
    await announce(trx, orgId, 'workflow-changed', [{ subject_id: id, payload: {} }]);
    return { ...version, is_active: true };
  });
}

/** Has the workflow's trigger start nothing any more. Runs go on. Throws notFound. */
export function deactivateWorkflow(db: Db, orgId: string, id: string): Promise<VersionRow> {
  return inTransaction(db, async (trx) => {
    if ((await lockAutomation(trx, orgId, id)) === undefined) throw notFound('workflow');
    await setActive(trx, orgId, id, null);
    await announce(trx, orgId, 'workflow-changed', [{ subject_id: id, payload: {} }]);
    return (await findLatest(trx, orgId, id)) as VersionRow;
  });
}

/** Deletes a workflow with its versions and runs; those under way end. Throws notFound. */
export function removeWorkflow(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const open = await listOpenRuns(trx, orgId, id);
    const gates = await listGatesOf(trx, orgId, id);
    if (!(await deleteAutomation(trx, orgId, id))) throw notFound('workflow');
    await enqueue(
      trx,
      orgId,
      ...open.map((runId) => wakeRun(orgId, runId)),
      ...gates.map((gate) => runEnded(orgId, gate.session_id, gate.id)),
    );
    await announce(trx, orgId, 'workflow-changed', [{ subject_id: id, payload: {} }]);
    await admitRuns(trx, orgId);
  });
}

/** Starts an active workflow by hand. Gives the run, null where its constraints do not hold. Throws notFound, and conflict where none is active. */
export function triggerWorkflow(db: Db, orgId: string, id: string, input: Json): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const version = await getWorkflow(trx, orgId, id);
    if (!version.is_active) throw conflict('The workflow is not active: see POST /workflows/{id}/activate');
    if (version.trigger_type !== 'manual-trigger')
      throw conflict(
        `The workflow starts by ${version.trigger_type}, not by hand: see POST /workflows/simulate to try it`,
      );
    const happening = { key: `manual/${newId()}`, occurredAt: new Date(), depth: 0, output: { input } };
    const told = { ...happening, output: wholeOutput('manual-trigger', happening) };
    const active = { ...version, automation_id: id, version_id: version.id };
    const [runId = null] = await startVersion(trx, orgId, active, [told], { cause: 'manual', isTest: false });
    await admitRuns(trx, orgId);
    return runId;
  });
}

/** Throws invalid, naming every problem with its step. */
export function assertValid(
  definition: Pick<NewVersion, 'trigger_configuration' | 'trigger_constraints'> & {
    trigger_type: unknown;
    workflow_blocks: unknown;
  },
): void {
  const { issues } = validateDefinition(definition);
  if (issues.length === 0) return;
  const told = issues.map(({ step_id, message }) => ({
    path: step_id === null ? 'body' : `body.workflow_blocks.${step_id}`,
    message,
  }));
  const summary = told.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw invalid(`The workflow is not valid: ${summary.slice(0, MOST_OF_SUMMARY)}`, told);
}

function valid(input: Partial<NewVersion> | CreateWorkflow | VersionRow): NewVersion {
  const { name = '', description = null, trigger_type, trigger_configuration = null } = input;
  const { trigger_constraints = null, workflow_blocks, workflow_editor_state = null } = input;
  assertValid({ trigger_type, trigger_configuration, trigger_constraints, workflow_blocks });
  return {
    name,
    description,
    trigger_type: trigger_type as NewVersion['trigger_type'],
    trigger_configuration,
    trigger_constraints,
    workflow_blocks: workflow_blocks as Step[],
    workflow_editor_state,
  };
}
