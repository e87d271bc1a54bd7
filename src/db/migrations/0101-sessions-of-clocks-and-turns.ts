import { type Kysely, sql } from 'kysely';

/**
 * Reports group SLA clocks and turns of the AI by the current channel, team and assignee of their sessions. Their rows have
 * these too, so that a report reads no sessions. Triggers set them, whichever statement inserts a row or changes a
 * session. An insertion waits for whoever changes the session, so that it misses no change.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop index sla_clocks_by_decision;
    alter table sla_clocks add column channel text, add column team_id uuid, add column assignee_id bigint;
    update sla_clocks as clock set channel = session.channel, team_id = session.team_id, assignee_id = session.assignee_id
    from sessions as session where session.org_id = clock.org_id and session.id = clock.session_id;
    create index sla_clocks_by_decision on sla_clocks (org_id, decided_at)
      include (metric, outcome, elapsed_seconds, stopped_at, policy_id, channel, team_id, assignee_id) where decided_at is not null;

    drop index ai_turns_by_creation;
    alter table ai_turns add column channel text, add column team_id uuid;
    update ai_turns as turn set channel = session.channel, team_id = session.team_id
    from sessions as session where session.org_id = turn.org_id and session.id = turn.session_id;
    create index ai_turns_by_creation on ai_turns (org_id, created_at, id)
      include (state, channel, team_id, input_tokens, output_tokens, cost);

    create function copy_session_to_clock() returns trigger language plpgsql as $$
    begin
      select channel, team_id, assignee_id into new.channel, new.team_id, new.assignee_id
      from sessions where org_id = new.org_id and id = new.session_id for share;
      return new;
    end $$;
    create trigger copy_session before insert on sla_clocks for each row execute function copy_session_to_clock();

    create function copy_session_to_turn() returns trigger language plpgsql as $$
    begin
      select channel, team_id into new.channel, new.team_id
      from sessions where org_id = new.org_id and id = new.session_id for share;
      return new;
    end $$;
    create trigger copy_session before insert on ai_turns for each row execute function copy_session_to_turn();

    create function copy_session_to_facts() returns trigger language plpgsql as $$
    begin
      update sla_clocks set team_id = new.team_id, assignee_id = new.assignee_id
      where org_id = new.org_id and session_id = new.id;
      if new.team_id is distinct from old.team_id then
        update ai_turns set team_id = new.team_id where org_id = new.org_id and session_id = new.id;
      end if;
      return null;
    end $$;
    create trigger copy_to_facts after update of team_id, assignee_id on sessions for each row
      when (new.team_id is distinct from old.team_id or new.assignee_id is distinct from old.assignee_id)
      execute function copy_session_to_facts();
  `.execute(db);
}
