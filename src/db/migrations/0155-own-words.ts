import { type Kysely, sql } from 'kysely';

/**
 * The own words of contacts' e-mails, and the sessions whose e-mails of before are still to be read. A trigger indexes the
 * own words instead of the content. A generated column would have to be written anew for all rows, while nobody could write.
 * A text that is removed or changed takes its own words with it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session_events alter column search drop expression, add column own_words text;

    create function public.index_session_event() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.content is distinct from old.content and new.own_words is not distinct from old.own_words
        then new.own_words := null;
      end if;
      new.search := public.search_vector(new.language, coalesce(new.own_words, new.content));
      return new;
    end $$;
    create trigger index_session_event before insert on session_events
      for each row when (new.content is not null) execute function public.index_session_event();
    create trigger reindex_session_event before update of content, own_words, language on session_events
      for each row execute function public.index_session_event();

    create table unread_mail_sessions (
      org_id uuid not null,
      session_id uuid not null,
      read_seq integer not null default 0,
      primary key (org_id, session_id),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    );
    insert into unread_mail_sessions (org_id, session_id)
      select org_id, id from sessions where channel = 'email' and last_contact_seq > 0;
  `.execute(db);
}
