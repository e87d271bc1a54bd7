-- Reports group SLA clocks and turns of the AI by the current channel, team and assignee of their sessions. Their rows
-- have these too, and a report reads no sessions. Triggers set them, whichever statement inserts a row or changes a
-- session. An insertion waits for whoever changes the session, and misses no change.
create function copy_session_to_clock() returns trigger language plpgsql as $$
begin
  select channel, team_id, assignee_id into new.channel, new.team_id, new.assignee_id
  from sessions where org_id = new.org_id and id = new.session_id for share;
  return new;
end
$$;

create function copy_session_to_turn() returns trigger language plpgsql as $$
begin
  select channel, team_id into new.channel, new.team_id
  from sessions where org_id = new.org_id and id = new.session_id for share;
  return new;
end
$$;

create function copy_session_to_facts() returns trigger language plpgsql as $$
begin
  update sla_clocks set team_id = new.team_id, assignee_id = new.assignee_id
  where org_id = new.org_id and session_id = new.id;
  if new.team_id is distinct from old.team_id then
    update ai_turns set team_id = new.team_id where org_id = new.org_id and session_id = new.id;
  end if;
  return null;
end
$$;

-- Lists of insights filter by copies of these columns.
create function copy_session_to_insights() returns trigger language plpgsql as $$
begin
  update insight_sessions set language = new.language, status = new.status, ticket_sentiment = new.sentiment,
    contact_id = new.contact_id
  where org_id = new.org_id and session_id = new.id;
  return null;
end
$$;

-- A turn has the sums of its steps, also of a step that comes after its end. Reports read no steps.
create function add_step_to_turn() returns trigger language plpgsql as $$
begin
  update ai_turns set input_tokens = input_tokens + coalesce((new.usage->>'input')::integer, 0),
    output_tokens = output_tokens + coalesce((new.usage->>'output')::integer, 0), cost = cost + coalesce(new.cost, 0)
  where org_id = new.org_id and id = new.turn_id;
  return null;
end
$$;

-- Indexes the own words of a message, or its content where nothing else is known. A text that is removed or changed
-- takes its own words with it.
create function index_session_event() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.content is distinct from old.content and new.own_words is not distinct from old.own_words
    then new.own_words := null;
  end if;
  new.search := public.search_vector(new.language, coalesce(new.own_words, new.content));
  return new;
end
$$;
