-- The role of the api and the worker: it reads and writes rows, and owns nothing. Migrations run as the owner.
create role switchboard login password :'password';
grant usage on schema public to switchboard;
alter default privileges in schema public grant select, insert, update, delete on tables to switchboard;
alter default privileges in schema public grant usage, select on sequences to switchboard;
