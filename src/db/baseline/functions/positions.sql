-- A position among the events of an org, or among its vectors, is the id of a transaction plus an offset. Ids begin again
-- on another server, where a dump is restored. `npm run migrate` then raises the offset by replacing the function. The
-- planner puts the constant in its place.
create function position_offset() returns bigint language sql immutable parallel safe return 0::bigint;
create function position_of_xid(writer xid8) returns xid8 language sql stable parallel safe
  return (position_offset() + writer::text::bigint)::text::xid8;
create function xid_of_position(place xid8) returns xid8 language sql stable parallel safe
  return greatest(place::text::bigint - position_offset(), 0)::text::xid8;
