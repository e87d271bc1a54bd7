import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';

/** Returns filters by name. Each field has filters matching many sessions, few, only old ones, or none. */
export async function filterCases(db: Db, orgId: string): Promise<Record<string, object>> {
  const { rows } = await sql<{ contact: string; team: string; member: number; number: number }>`
    select contact_id as contact, team_id as team, assignee_id as member, ticket_number as number from sessions
    where org_id = ${orgId} and team_id is not null and assignee_id is not null order by ticket_number limit 1
  `.execute(db);
  const { contact, team, member, number } = rows[0] as (typeof rows)[number];
  const date = (from: string, to: string) => ({ date: { from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` } });
  const filters = {
    'no condition': {},
    'date, a month': date('2025-03-01', '2025-04-01'),
    'date, an hour': { date: { from: '2025-03-01T00:00:00Z', to: '2025-03-01T01:00:00Z' } },
    'channels, many': { channels: ['web'] },
    'channels, few': { channels: ['instagram'] },
    'channels, old ones': { channels: ['messenger'] },
    'channels, none': { channels: ['slack', 'sms'] },
    'status, many': { status: [1] },
    'status, few': { status: [7] },
    'ai_closure, many': { ai_closure: ['resolved'] },
    'ai_closure, few': { ai_closure: ['assumed_resolved'] },
    'sentiment, few': { sentiment: ['angry'] },
    'sentiment, none': { sentiment: ['happy'] },
    'assignees, unassigned': { assignees: [] },
    'assignees, one': { assignees: [member] },
    'team_ids, one': { team_ids: [team] },
    'contact_ids, one': { contact_ids: [contact] },
    ticket_number: { ticket_number: number },
    'language, many': { language: ['en', 'de'] },
    'language, few': { language: ['cy'] },
    'tags, many': { tags: ['common', 'half'] },
    'tags, few': { tags: ['Rare', 'half'] },
    'tags, none': { tags: ['common', 'unused'] },
    'waiting_on, many': { waiting_on: 'customers' },
    'custom_data, many': { custom_data: [{ plan: 'free' }] },
    'custom_data, few': { custom_data: [{ tier: 'rare' }, { order: 'No 4711', plan: 'free' }] },
    'custom_data, none': { custom_data: [{ plan: 'none' }] },
    'several, many': { status: [0, 1], channels: ['web'], language: ['en'], custom_data: [{ plan: 'free' }] },
    'several, few': {
      status: [0],
      assignees: [member],
      tags: ['half'],
      sentiment: ['neutral'],
      ...date('2025-02-01', '2025-11-01'),
    },
    'several, none': { waiting_on: 'customers', tags: ['common'], sentiment: ['angry'], status: [7] },
  };
  return {
    ...Object.fromEntries(Object.entries(filters).map(([name, wanted]) => [name, { filters: wanted }])),
    'date, a month, by creation': { filters: date('2025-03-01', '2025-04-01'), sort_by: 'created_at' },
    'channels, few, by creation, rising': {
      filters: { channels: ['instagram'] },
      sort_by: 'created_at',
      sort_order: 'asc',
    },
    'tags, many, rising': { filters: { tags: ['common'] }, sort_order: 'asc' },
    'no condition, page 40': { page: 40 },
    'no condition, the last page': { page: 1000, limit: 100 },
    'status, many, page 400': { filters: { status: [1] }, page: 400 },
    'tags, many, page 400': { filters: { tags: ['half'] }, page: 400 },
  };
}

/** Returns searches by name: words of most messages, of few, of none, and difficult queries. */
export async function searchCases(db: Db, orgId: string): Promise<Record<string, Record<string, string>>> {
  const { rows } = await sql<{
    content: string;
    chinese: string;
    name: string;
    email: string;
    phone: string;
    id: string;
  }>`
    select (select content from session_events where org_id = ${orgId} and content ~ '^[a-z]' order by created_at, id limit 1),
      (select content from session_events where org_id = ${orgId} and content ~ '^[^a-z]+$' order by created_at, id limit 1) as chinese,
      name, email, phone_number as phone, id
    from contacts where org_id = ${orgId} order by id limit 1
  `.execute(db);
  const { content, chinese, name, email, phone, id } = rows[0] as (typeof rows)[number];
  const { rows: ranks } = await sql<{ word: string }>`
    select word from ts_stat(${`select search from (select search from session_events where org_id = '${orgId}' and language = 'en' limit 20000) as sample`})
    where length(word) = 6 order by ndoc desc, word limit 4000
  `.execute(db);
  const word = (rank: number) => ranks[Math.min(rank, ranks.length - 1)]?.word as string;
  return {
    'a word of most messages': { q: word(0) },
    'a word of some': { q: word(40) },
    'a word of one in a thousand': { q: word(400) },
    'a word of few': { q: word(3_000) },
    'a word of fifty': { q: 'kaleidoscope' },
    'a word of none': { q: 'nonexistentword' },
    'two frequent words': { q: `${word(2)} ${word(5)}` },
    'two words of some': { q: `${word(60)} ${word(90)}` },
    'a frequent and a rare word': { q: `${word(0)} kaleidoscope` },
    'eight words of some': { q: [11, 22, 33, 44, 55, 66, 77, 88].map(word).join(' ') },
    'a phrase': { q: `"${content.split(' ').slice(2, 5).join(' ')}"` },
    'a phrase of words of some': { q: `"${word(11)} ${word(22)} ${word(33)}"` },
    'a whole message': { q: content },
    'the beginning of a word': { q: word(300).slice(0, 4) },
    'a rare word and the beginning of one': { q: `kaleidoscope ${word(40).slice(0, 4)}` },
    'a word without another': { q: `${word(30)} -${word(0)}` },
    'words or words': { q: `${word(700)} OR kaleidoscope OR ${word(900)}` },
    'two letters of Chinese': { q: chinese.slice(2, 4) },
    'six letters of Chinese': { q: chinese.slice(2, 8) },
    'a letter of Chinese': { q: chinese.slice(3, 4) },
    'a contact’s messages': { q: word(0), contact_id: id },
    'a contact’s messages, rare': { q: 'kaleidoscope', contact_id: id },
    'a name': { q: name },
    'the beginning of a name': { q: name.slice(0, 2) },
    'the inside of a name': { q: name.slice(1, 5) },
    'a misspelled name': { q: `${name.slice(0, 4)}x${name.slice(5)}` },
    'an e-mail address': { q: email },
    'what all addresses have': { q: 'example' },
    'a domain': { q: email.split('@')[1] as string },
    'a phone number': { q: phone },
  };
}
