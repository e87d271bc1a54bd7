create table idempotency_keys (
  principal_id uuid not null,
  key text not null,
  request_hash bytea not null,
  status_code smallint not null,
  answer text not null,
  created_at timestamptz(3) not null default now(),
  scopes text[] not null default '{}'::text[],
  session_id uuid,
  full_answer text,
  primary key (principal_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
create index idempotency_keys_of_sessions on idempotency_keys (principal_id, session_id) where session_id is not null;

create unlogged table rate_limits (
  key text not null,
  points integer not null default 0,
  expire bigint,
  primary key (key)
);
