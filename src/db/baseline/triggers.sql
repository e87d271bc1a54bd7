create trigger announce_outcomes after update on ai_calls referencing old table as before new table as after
  for each statement execute function announce_ai_call_milestones();
create trigger announce_requests after insert on ai_calls referencing new table as after
  for each statement execute function announce_ai_call_milestones();
create trigger ai_steps_added_to_turns after insert on ai_steps
  for each row
  when (new.usage is not null or new.cost is not null)
  execute function add_step_to_turn();
create trigger copy_session before insert on ai_turns
  for each row execute function copy_session_to_turn();
create trigger announce_milestones after update on deliveries referencing old table as before new table as after
  for each statement execute function announce_delivery_milestones();
create trigger index_session_event before insert on session_events
  for each row
  when (new.content is not null)
  execute function index_session_event();
create trigger reindex_session_event before update of content, own_words, language on session_events
  for each row execute function index_session_event();
create trigger copy_to_facts after update of team_id, assignee_id on sessions
  for each row
  when ((new.team_id is distinct from old.team_id) or (new.assignee_id is distinct from old.assignee_id))
  execute function copy_session_to_facts();
create trigger sessions_copied_to_insights after update of language, status, sentiment, contact_id on sessions
  for each row
  when ((old.language is distinct from new.language) or (old.status is distinct from new.status) or (old.sentiment is distinct from new.sentiment) or (old.contact_id is distinct from new.contact_id))
  execute function copy_session_to_insights();
create trigger copy_session before insert on sla_clocks
  for each row execute function copy_session_to_clock();
