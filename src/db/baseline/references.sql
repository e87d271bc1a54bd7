-- Foreign keys between tables that need each other.
alter table orgs add foreign key (partner_id) references partners(id);
alter table automation_runs add foreign key (org_id, automation_id) references automations(org_id, id) on delete cascade;
alter table automation_runs add foreign key (org_id, automation_id, version_id) references automation_versions(org_id,
  automation_id, id) on delete cascade;
alter table automations add foreign key (org_id, id, active_version) references automation_versions(org_id,
  automation_id, id) deferrable initially deferred;
