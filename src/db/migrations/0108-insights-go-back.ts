import { type Kysely, sql } from 'kysely';

/**
 * A split notes where its statements were, so that its undo puts them back there: the insight that it was made of may have
 * others merged into it. A statement that is deleted and found again is another one. A person can say that an insight has no
 * category. A statement knows whether its words are counted, so that its redaction takes them back: those compared by a
 * model from the beginning are not.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table insight_moves (
      org_id uuid not null,
      operation_id uuid not null,
      statement_id uuid not null,
      own_insight_id uuid not null,
      primary key (org_id, operation_id, statement_id),
      foreign key (org_id, operation_id) references insight_operations (org_id, id),
      foreign key (org_id, statement_id) references insight_statements (org_id, id) on delete cascade,
      foreign key (org_id, own_insight_id) references insights (org_id, id)
    );
    create index insight_moves_by_statement on insight_moves (org_id, statement_id);
    create index insight_moves_by_own_insight on insight_moves (org_id, own_insight_id);

    alter table insight_statements add column has_terms boolean not null default false;
    update insight_statements set has_terms = true where space = 'words' and own_insight_id is not null;

    alter table insights drop constraint insights_check;
    alter table insights add constraint insights_category_check
      check (case when category is null then category_by is distinct from 'classifier' else category_by is not null end);
  `.execute(db);
}
