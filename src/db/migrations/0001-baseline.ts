import { readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';

const folder = new URL('../baseline/', import.meta.url);

/** The files in the order in which they need each other. */
const FILES = [
  'extensions',
  'functions/search',
  'functions/redaction',
  'functions/events',
  'functions/positions',
  'tables/api',
  'tables/orgs',
  'tables/partners',
  'tables/keys',
  'tables/contacts',
  'tables/desk',
  'tables/media',
  'tables/autopilot',
  'tables/phone-agents',
  'tables/conversations',
  'tables/csat',
  'tables/actions',
  'tables/sequences',
  'tables/deliveries',
  'tables/outbox',
  'tables/automations',
  'tables/ai',
  'tables/crawl',
  'tables/crm',
  'tables/evals',
  'tables/insights',
  'tables/knowledge',
  'tables/models',
  'tables/sla',
  'tables/tagging',
  'tables/webhooks',
  'tables/widget',
  'references',
  'functions/milestones',
  'functions/copies',
  'functions/last-position',
  'triggers',
];

/** The schema of version 0.1.0: extensions, functions, the tables of each domain, and the triggers between them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const file of FILES) await sql.raw(await readFile(new URL(`${file}.sql`, folder), 'utf8')).execute(db);
}
