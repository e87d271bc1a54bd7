import { type Kysely, sql } from 'kysely';

/**
 * What the steps of a turn have used is summed up in its row, so that reports read no steps. A trigger adds each new step,
 * whichever statement inserts it: also one that comes when its turn has ended. Most steps use nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ai_turns
      add column input_tokens integer not null default 0,
      add column output_tokens integer not null default 0,
      add column cost numeric not null default 0;
    update ai_turns as turn set input_tokens = used.input_tokens, output_tokens = used.output_tokens, cost = used.cost
    from (
      select org_id, turn_id, coalesce(sum((usage->>'input')::integer), 0) as input_tokens,
        coalesce(sum((usage->>'output')::integer), 0) as output_tokens, coalesce(sum(cost), 0) as cost
      from ai_steps where usage is not null or cost is not null group by org_id, turn_id
    ) as used
    where turn.org_id = used.org_id and turn.id = used.turn_id;

    create function add_step_to_turn() returns trigger language plpgsql as $$
    begin
      update ai_turns set input_tokens = input_tokens + coalesce((new.usage->>'input')::integer, 0),
        output_tokens = output_tokens + coalesce((new.usage->>'output')::integer, 0), cost = cost + coalesce(new.cost, 0)
      where org_id = new.org_id and id = new.turn_id;
      return null;
    end $$;
    create trigger ai_steps_added_to_turns after insert on ai_steps for each row
      when (new.usage is not null or new.cost is not null) execute function add_step_to_turn();

    drop index ai_steps_with_costs;
    drop index ai_turns_by_creation;
    create index ai_turns_by_creation on ai_turns (org_id, created_at, id)
      include (state, session_id, input_tokens, output_tokens, cost);
  `.execute(db);
}
