import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

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
      update automation_runs as run set error = case when error is null then null else '[redacted]' end,
        trigger_output = without_texts(trigger_output - 'contact', '')
          || case when trigger_output ? 'contact' then jsonb_build_object('contact', trigger_output -> 'contact') else '{}' end
      from concerned where run.org_id = ${orgId} and run.id = concerned.id
    )
    update automation_steps as step set input = without_texts(input, ''), output = without_texts(output, ''),
      changed_input = without_texts(changed_input, ''), error = case when error is null then null else '[redacted]' end
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
