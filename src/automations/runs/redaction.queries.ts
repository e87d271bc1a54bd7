import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';

/** SQL: the assignments that remove the texts of a step. */
const WITHOUT_TEXTS = sql`input = without_texts(input, ''), output = without_texts(output, ''),
  changed_input = without_texts(changed_input, ''), error = case when error is null then null else '[redacted]' end`;

/**
 * Redacts the texts of a session in runs of customers' workflows: in trigger outputs, in inputs, outputs and errors of
 * steps, in received events, and in what steps of any run have waited for. Contact fields, ids, times and statuses
 * stay, so the runs can continue.
 */
export async function redactRunTexts(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await sql`
    with concerned as (
      select id from automation_runs where org_id = ${orgId} and trigger_output #>> '{session,id}' = ${sessionId}
      union
      select run_id from automation_steps where org_id = ${orgId} and input ->> 'session_id' = ${sessionId}
    ), triggers as (
      update automation_runs as run set redactions = redactions + 1, error = case when error is null then null else '[redacted]' end,
        trigger_output = without_texts(trigger_output - 'contact', '')
          || case when trigger_output ? 'contact' then jsonb_build_object('contact', trigger_output -> 'contact') else '{}' end
      from concerned where run.org_id = ${orgId} and run.id = concerned.id
    )
    update automation_steps as step set ${WITHOUT_TEXTS}
    from concerned where step.org_id = ${orgId} and step.run_id = concerned.id
  `.execute(trx);
  await sql`
    update automation_events set output = without_texts(output - 'contact', '')
      || case when output ? 'contact' then jsonb_build_object('contact', output -> 'contact') else '{}' end
    where org_id = ${orgId} and output #>> '{session,id}' = ${sessionId}
  `.execute(trx);
  await sql`
    update automation_steps set output = jsonb_set(output, '{event}', without_texts((output -> 'event') - 'contact', '')
      || case when output -> 'event' ? 'contact' then jsonb_build_object('contact', output #> '{event,contact}') else '{}' end)
    where org_id = ${orgId} and output #>> '{event,session,id}' = ${sessionId}
  `.execute(trx);
}

/** Redacts the texts of steps that were under way during a redaction. */
export async function redactSteps(
  trx: Trx,
  orgId: string,
  steps: { run_id: string; place: StepPath }[],
): Promise<void> {
  if (steps.length === 0) return;
  await sql`
    update automation_steps as step set ${WITHOUT_TEXTS}
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as given (run_id uuid, place text)
    where step.org_id = ${orgId} and step.run_id = given.run_id and step.place = given.place
  `.execute(trx);
}
