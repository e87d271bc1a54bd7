import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';
import { REDACTED_ERROR, REDACTED_INPUT } from './shared.queries.ts';

const WITHOUT_ERROR = sql`case when error is null then null else ${REDACTED_ERROR} end`;
/** SQL: the assignments that remove the texts of a step. */
const WITHOUT_TEXTS = sql`input = without_texts(input, ''), output = without_texts(output, ''),
  changed_input = case when changed_input = without_texts(changed_input, '') or changed_input is null then changed_input
    else to_jsonb(${REDACTED_INPUT}::text) end, error = ${WITHOUT_ERROR}`;

/** SQL: the output of a trigger without texts other than those of the contact. */
const withoutTextsButContact = (output: RawBuilder<unknown>) =>
  sql`without_texts(${output} - 'contact', '')
    || case when ${output} ? 'contact' then jsonb_build_object('contact', ${output} -> 'contact') else '{}' end`;

/**
 * Redacts the texts of a session in runs of customers' workflows: in trigger outputs, in inputs, outputs and errors of
 * steps, in received events, and in runs that waited for an event of it, from that event on. Contact fields, ids, times
 * and statuses stay, so the runs can continue.
 */
export async function redactRunTexts(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  const { whole, heard } = await lockConcernedRuns(trx, orgId, sessionId);
  await sql`
    update automation_runs set redactions = redactions + 1, error = ${WITHOUT_ERROR},
      trigger_output = case when id = any(${whole}::uuid[]) then ${withoutTextsButContact(sql`trigger_output`)} else trigger_output end
    where org_id = ${orgId} and id = any(${[...whole, ...heard]}::uuid[])
  `.execute(trx);
  await sql`
    update automation_steps set ${WITHOUT_TEXTS} where org_id = ${orgId} and run_id = any(${whole}::uuid[])
  `.execute(trx);
  await sql`
    update automation_steps as step set ${WITHOUT_TEXTS}
    from (
      select run_id, min(ended_at) as ended_at from automation_steps
      where org_id = ${orgId} and run_id = any(${heard}::uuid[]) and ${isOfEvent(sessionId)}
      group by run_id
    ) as wait
    where step.org_id = ${orgId} and step.run_id = wait.run_id and step.started_at >= wait.ended_at
      and step.output #>> '{event,session,id}' is distinct from ${sessionId}
  `.execute(trx);
  await sql`
    update automation_events set output = ${withoutTextsButContact(sql`output`)}
    where org_id = ${orgId} and output #>> '{session,id}' = ${sessionId}
  `.execute(trx);
  await sql`
    update automation_steps set output = jsonb_set(output, '{event}', ${withoutTextsButContact(sql`(output -> 'event')`)})
    where org_id = ${orgId} and ${isOfEvent(sessionId)}
  `.execute(trx);
}

/** SQL: whether a step has waited for an event of this session. */
const isOfEvent = (sessionId: string) => sql<boolean>`output #>> '{event,session,id}' = ${sessionId}`;

/**
 * Locks the runs that a session started or that a step relates to it, and those that only waited for an event of it: a step
 * of theirs that is being saved is seen then.
 */
async function lockConcernedRuns(
  trx: Trx,
  orgId: string,
  sessionId: string,
): Promise<{ whole: string[]; heard: string[] }> {
  const { rows } = await sql<{ id: string; is_whole: boolean }>`
    with whole as (
      select id from automation_runs where org_id = ${orgId} and trigger_output #>> '{session,id}' = ${sessionId}
      union
      select run_id from automation_steps where org_id = ${orgId} and input ->> 'session_id' = ${sessionId}
    )
    select id, id in (select id from whole) as is_whole from automation_runs where org_id = ${orgId} and id in (
      select id from whole union select run_id from automation_steps where org_id = ${orgId} and ${isOfEvent(sessionId)}
    )
    order by id for update
  `.execute(trx);
  const [whole = [], heard = []] = [true, false].map((isWhole) =>
    rows.filter(({ is_whole }) => is_whole === isWhole).map(({ id }) => id),
  );
  return { whole, heard };
}

/** Returns how often each of the runs was redacted, by their ids. */
export async function listRedactions(trx: Trx, orgId: string, runIds: string[]): Promise<[string, number][]> {
  if (runIds.length === 0) return [];
  const rows = await trx
    .selectFrom('automation_runs')
    .select(['id', 'redactions'])
    .where('org_id', '=', orgId)
    .where('id', 'in', runIds)
    .execute();
  return rows.map(({ id, redactions }) => [id, redactions]);
}

/** Redacts the texts of steps that were under way during a redaction. */
export async function redactSteps(trx: Trx, orgId: string, steps: { run_id: string; path: StepPath }[]): Promise<void> {
  if (steps.length === 0) return;
  await sql`
    update automation_steps as step set ${WITHOUT_TEXTS}
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as given (run_id uuid, path text)
    where step.org_id = ${orgId} and step.run_id = given.run_id and step.path = given.path
  `.execute(trx);
}
