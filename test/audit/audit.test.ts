import { sql } from 'kysely';
import { deleteOldAuditEntries } from '../../src/audit/service.ts';
import { recordConstraintErrors } from '../../src/automations/runs/start-runs.queries.ts';
import { runCommand } from '../../src/cli/commands.ts';
import { AUDITED_TABLES, mayBeAudited } from '../../src/db/connections/audited-tables.ts';
import { runAsAuditor } from '../../src/processes/current-work.ts';
import { formWith } from '../media/samples.ts';
import { readDocument } from '../security/document.ts';
import { NOWHERE } from '../security/nowhere.ts';
import { type SignedIn, signIn } from '../sign-in/signing-in.ts';
import { type Answer, startApi, type TestApi } from '../support/stack/api.ts';
import { AUDITED, AUDITED_UNTRIED, NOT_AUDITED } from './operations.ts';

const FILTER = { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] };
const SMS = { delay_in_minutes: 0, action: { type: 'send_sms_messages', data: { message: 'Hello' } } };
const SECRET = 'sk-very-secret-51c0';

let api: TestApi;
let admin: SignedIn;

beforeAll(async () => {
  api = await startApi({ isInProcess: true, deps: { dns: { resolveTxt: async () => [] }, egress: NOWHERE } });
  admin = await signIn(api, 'admin');
});
afterAll(() => api.close());

const entries = async (query = '') => (await api.org.get(`/audit?limit=100${query}`)).body.items;
const latest = async (query = '') => (await entries(query))[0];

describe('the audit', () => {
  it('is decided for every operation that changes something', async () => {
    const { operations } = readDocument((await api.client().get('/openapi.json')).body);
    const changing = operations.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    const decided = [...Object.keys(AUDITED), ...AUDITED_UNTRIED, ...Object.values(NOT_AUDITED).flat()];
    expect(decided.toSorted()).toEqual(changing.toSorted());
  });

  it('has its triggers on the tables before whose writes a connection says who acts, and nothing else writes these', async () => {
    const { rows: audited } = await sql<{ table: string }>`
      select distinct tgrelid::regclass::text as table from pg_trigger
      where tgfoid in ('record_audit'::regproc, 'record_sign_in'::regproc) order by 1
    `.execute(api.db);
    expect(audited.map(({ table }) => table)).toEqual(AUDITED_TABLES);
    const { rows: functions } = await sql<{ name: string; body: string }>`
      select proname as name, prosrc as body from pg_proc where pronamespace = 'public'::regnamespace and prosrc <> ''
    `.execute(api.db);
    expect(functions.length).toBeGreaterThan(20);
    expect(functions.filter(({ body }) => mayBeAudited(body)).map(({ name }) => name)).toEqual([]);
    // Rows that a foreign key deletes or changes with a row of a table that is not audited. Merges are audited as they are inserted.
    const { rows: keys } = await sql<{ table: string }>`
      select conrelid::regclass::text as table from pg_constraint
      where contype = 'f' and confdeltype <> 'a' and conrelid::regclass::text = any(${AUDITED_TABLES}::text[])
        and not confrelid::regclass::text = any(${AUDITED_TABLES}::text[])
    `.execute(api.db);
    expect(keys.map(({ table }) => table)).toEqual(['contact_merges']);
  });

  it.each([
    ['update "orgs" set "name" = $1', true],
    ['with written as (insert into suppressions (org_id) values ($1)) select', true],
    ['delete from "member_roles" where', true],
    ['UPDATE ONLY tags SET', true],
    ['update public."tags" set', true],
    ['select from orgs where id = $1 for update of orgs', false],
    ['insert into deliveries (org_id) select org_id from suppressions', false],
    ['update members_of_somebody set', false],
    ['select set_config($1, $2, false)', false],
  ])('knows that %s is audited: %s', (statement, isAudited) => {
    expect(mayBeAudited(statement)).toBe(isAudited);
  });

  it('has a row of the acting member for each operation that sets something up', async () => {
    const wrong: string[] = [];
    const tried = new Set<string>();
    const act = async (operation: string, path: string, body?: object): Promise<Answer['body']> => {
      const [method = ''] = operation.split(' ');
      const isPartner = path.startsWith('/partner');
      const client = isPartner ? api.partner : admin;
      const send = client[method.toLowerCase() as 'post'];
      const before = new Set(
        (await sql<{ id: string }>`select id from audit_entries`.execute(api.db)).rows.map(({ id }) => id),
      );
      const answer = method === 'DELETE' ? await client.delete(path) : await send(path, body);
      const { rows } = await sql<{ id: string; kind: string; actor: string }>`
        select id, kind, actor_kind || ' ' || coalesce(actor_id, '') as actor from audit_entries
      `.execute(api.db);
      const added = rows.filter(({ id }) => !before.has(id));
      const actor = isPartner ? `partner ${api.partner.id}` : `member ${admin.id}`;
      const isRight =
        added.some(({ kind }) => kind === AUDITED[operation]) && added.every((row) => row.actor === actor);
      if (answer.status >= 300 || !isRight)
        wrong.push(
          [operation, answer.status, answer.body?.message, added.map(({ kind, actor: by }) => `${kind} by ${by}`)].join(
            ' | ',
          ),
        );
      tried.add(operation);
      return answer.body;
    };

    const action = { api_endpoint: 'https://example.com/ping', request_type: 'GET', payload: {} };
    const { id: actionId } = await act('POST /actions', '/actions', { ...action, name: 'Ping', operation_id: 'one' });
    await act('PATCH /actions/{id}', `/actions/${actionId}`, { name: 'Pong' });
    await act('DELETE /actions/{id}', `/actions/${actionId}`);
    const shop = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: 'https://shop.example' }],
      paths: { '/orders': { get: { operationId: 'orders', responses: { 200: { description: 'Orders' } } } } },
    });
    await act('PUT /actions', '/actions', formWith(Buffer.from(shop), 'shop.json', { type: 'application/json' }));
    await act('DELETE /actions', '/actions');
    await act('PATCH /autopilot', '/autopilot', { channel: 'web', autopilot_enabled: false });
    await act('PATCH /autopilot/settings', '/autopilot/settings', { max_turns_without_progress: 4 });
    await act('POST /autopilot/settings/publish', '/autopilot/settings/publish', {});
    const { id: websiteId } = await act('POST /crawl', '/crawl', { url: 'https://shop.example/docs' });
    await act('PATCH /crawl/{id}', `/crawl/${websiteId}`, { exclude_paths: ['/old'] });
    await act('DELETE /crawl/{id}', `/crawl/${websiteId}`);
    await act('PUT /email/domains', '/email/domains', { domainName: 'mail.acme.example' });
    await act('DELETE /email/domains/{domainName}', '/email/domains/mail.acme.example');
    const { id: inboxId } = await act('PUT /email/inboxes', '/email/inboxes', { address: 'help@acme.example' });
    await act('DELETE /email/inboxes/{id}', `/email/inboxes/${inboxId}`);
    const { id: viewId } = await act('POST /views', '/views', { name: 'VIPs', query: { tag: 'vip' }, shared: 'org' });
    await act('PATCH /views/{id}', `/views/${viewId}`, { name: 'The best' });
    await act('DELETE /views/{id}', `/views/${viewId}`);
    const reply = { shortcut: 'hi', title: 'Greeting', text: 'Hello' };
    const { id: replyId } = await act('POST /saved-replies', '/saved-replies', reply);
    await act('PATCH /saved-replies/{id}', `/saved-replies/${replyId}`, { title: 'Welcome' });
    await act('DELETE /saved-replies/{id}', `/saved-replies/${replyId}`);
    await act('POST /blocklist/contacts', '/blocklist/contacts', { email: 'zoe@acme.example', reason: 'Zoe spams' });
    const { body: blocked } = await admin.get('/blocklist/contacts');
    await act('DELETE /blocklist/contacts/{id}', `/blocklist/contacts/${blocked.data[0].id}`);
    await act('POST /blocklist/domains', '/blocklist/domains', { domains: 'spam.example' });
    const { body: domains } = await admin.get('/blocklist/domains');
    await act('DELETE /blocklist/domains/{id}', `/blocklist/domains/${domains.data[0].id}`);
    const suppressed = { channel: 'email', address: 'zoe@acme.example' };
    const { id: suppressionId } = await act('POST /suppressions', '/suppressions', suppressed);
    await act('DELETE /suppressions/{id}', `/suppressions/${suppressionId}`);
    await act('POST /exports', '/exports', { resource: 'contacts' });
    await act('PUT /help-center/content', '/help-center/content', {
      categories: [
        {
          name: 'Billing',
          slug: 'billing',
          articles: [{ title: 'Refunds', slug: 'refunds', content_markdown: 'Five days.' }],
        },
      ],
    });
    await act('PUT /insights/categories', '/insights/categories', { categories: ['Delivery'] });
    const llm = { base_url: 'https://llm.example/v1', api_key: SECRET, model: 'gpt-5-mini' };
    await act('PUT /integrations/llm', '/integrations/llm', { provider: 'openai-compatible', settings: llm });
    await act('DELETE /integrations/{kind}', '/integrations/llm');
    await act('POST /members', '/members', { email: 'new@acme.example', role: 'agent' });
    const agent = await signIn(api, 'agent');
    await act('PATCH /members/{id}', `/members/${agent.id}`, { role: 'viewer' });
    await act('DELETE /members/{id}', `/members/${agent.id}`);
    const hours = {
      name: 'Berlin',
      iana_timezone: 'Europe/Berlin',
      shifts: [{ day_of_week: 'monday', start_time: '09:00:00', end_time: '12:00:00' }],
    };
    const { id: hoursId, shifts } = await act('POST /office-hours', '/office-hours', hours);
    await act('PUT /office-hours/{id}', `/office-hours/${hoursId}`, { ...hours, shifts, name: 'Hamburg' });
    await act('DELETE /office-hours/{id}', `/office-hours/${hoursId}`);
    await act('PATCH /org', '/org', { name: 'Acme' });
    await act('PATCH /org/settings', '/org/settings', { daily_cap: 3 });
    const { api_key_id } = await act('POST /org/api-keys', '/org/api-keys', { name: 'Back end', scopes: ['org:read'] });
    await act('DELETE /org/api-keys/{id}', `/org/api-keys/${api_key_id}`);
    const phone = { name: 'Reminders', type: 'outbound', language: 'en', voice_id: 'Savannah' };
    const { id: phoneId } = await act('POST /phone', '/phone', phone);
    await act('PATCH /phone/{id}', `/phone/${phoneId}`, { name: 'Calls' });
    await act('DELETE /phone/{id}', `/phone/${phoneId}`);

    const { id: sequenceId } = await act('POST /sequences', '/sequences', {
      filter: FILTER,
      steps: [SMS],
      is_continuous: true,
    });
    await act('PATCH /sequences/{id}', `/sequences/${sequenceId}`, { gates: { daily_cap: 3 } });
    const { body: once } = await admin.post('/sequences', { filter: FILTER, steps: [SMS], is_continuous: false });
    await act('PUT /sequences/{id}/start', `/sequences/${once.id}/start`, {});
    await act('PUT /sequences/{id}/pause', `/sequences/${sequenceId}/pause`, {});
    await act('PUT /sequences/{id}/resume', `/sequences/${sequenceId}/resume`, {});
    await act('PUT /sequences/{id}/cancel', `/sequences/${sequenceId}/cancel`, {});
    await act('DELETE /sequences/{id}', `/sequences/${sequenceId}`);
    const { id: policyId } = await act('POST /sla/policies', '/sla/policies', {
      name: 'Gold',
      first_reply_target_seconds: 60,
    });
    await act('PATCH /sla/policies/{id}', `/sla/policies/${policyId}`, { name: 'Platinum' });
    await act('PUT /sla/policies/{id}/assignment', `/sla/policies/${policyId}/assignment`, { channels: ['web'] });
    await act('DELETE /sla/policies/{id}', `/sla/policies/${policyId}`);
    await act('PUT /tags', '/tags', { tag_name: 'refund' });
    await act('DELETE /tags/{tag_name}', '/tags/refund');
    await act('PUT /tags/auto-tagging', '/tags/auto-tagging', { enabled: true });
    const { id: categoryId } = await act('POST /tags/categories', '/tags/categories', { name: 'Topic' });
    await act('PATCH /tags/categories/{id}', `/tags/categories/${categoryId}`, { name: 'Subject' });
    await act('DELETE /tags/categories/{id}', `/tags/categories/${categoryId}`);
    const { id: teamId } = await act('POST /teams', '/teams', { name: 'Billing' });
    await act('PUT /teams/{id}', `/teams/${teamId}`, { name: 'Invoices' });
    await act('POST /teams/{id}/users', `/teams/${teamId}/users`, { userId: admin.id });
    await act('DELETE /teams/{id}/users/{userId}', `/teams/${teamId}/users/${admin.id}`);
    await act('DELETE /teams/{id}', `/teams/${teamId}`);
    const { id: directoryId } = await act('POST /training/directories', '/training/directories', { name: 'Billing' });
    await act('PATCH /training/directories/{id}', `/training/directories/${directoryId}`, { name: 'Invoices' });
    const { id: trainingId } = await act('POST /training', '/training', {
      title: 'On SMS',
      content: 'Be brief.',
      type: 'BEHAVIORAL',
    });
    await act('PATCH /training/{id}', `/training/${trainingId}`, { content: 'Be very brief.' });
    await act('PUT /training/{id}/draft', `/training/${trainingId}/draft`, { is_draft: true });
    await act('PUT /training/{id}/directory', `/training/${trainingId}/directory`, { directory_id: directoryId });
    await act('POST /training/{id}/rollback', `/training/${trainingId}/rollback`, { version: 1 });
    await act('DELETE /training/{id}', `/training/${trainingId}`);
    await act('DELETE /training/directories/{id}', `/training/directories/${directoryId}`);
    const hook = { url: 'https://shop.example/hooks?token=51c0', event_types: ['contact.created'] };
    const { id: hookId } = await act('POST /webhooks', '/webhooks', hook);
    await act('PATCH /webhooks/{id}', `/webhooks/${hookId}`, { enabled: false });
    await act('POST /webhooks/{id}/rotate-secret', `/webhooks/${hookId}/rotate-secret`, {});
    await act('DELETE /webhooks/{id}', `/webhooks/${hookId}`);
    await act('PUT /widget/settings', '/widget/settings', { appearance: { color: '#0f766e' } });
    const wait = {
      $kind: 'Block',
      type: 'wait-for-event',
      id: 'resolved',
      inputs: { trigger_type: 'ticket-resolved', timeout_minutes: 60 },
    };
    const workflow = { name: 'Wait', workflow_blocks: [wait], trigger_type: 'ticket-created' };
    const { workflow_id: workflowId } = await act('POST /workflows', '/workflows', workflow);
    await act('PATCH /workflows/{id}', `/workflows/${workflowId}`, { name: 'Wait longer' });
    await act('POST /workflows/{id}/activate', `/workflows/${workflowId}/activate`, {});
    await act('POST /workflows/{id}/deactivate', `/workflows/${workflowId}/deactivate`, {});
    await act('DELETE /workflows/{id}', `/workflows/${workflowId}`);

    const { body: session } = await api.org.post('/chat/sessions', { channel: { type: 'web' } });
    await api.org.post(`/chat/sessions/${session.id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'I am Zoe' },
    });
    const { rows: messages } = await sql<{ id: string }>`
      select id from session_events where session_id = ${session.id} and type = 'message'`.execute(api.db);
    await act('POST /redaction/message', '/redaction/message', { messageId: messages[0]?.id });
    const { rows: asked } = await sql<{ id: string }>`
      insert into help_center_answers (org_id, id, article_id, language, is_helpful, comment)
      select org_id, gen_random_uuid(), id, 'en', false, 'I am Zoe' from help_center_articles where org_id = ${api.org.id} limit 1
      returning id
    `.execute(api.db);
    await act('POST /redaction/feedback', '/redaction/feedback', { feedbackId: asked[0]?.id });
    await act('POST /redaction/session', '/redaction/session', { sessionId: session.id, reason: 'Zoe asked for it' });

    const { id: newOrg } = await act('POST /partner/v1/orgs', '/partner/v1/orgs', { name: 'New' });
    await act('POST /partner/v1/orgs/{orgId}/api-keys', `/partner/v1/orgs/${newOrg}/api-keys`, { name: 'First' });
    const login = { email: 'new@acme.example', name: 'New' };
    await act('POST /partner/v1/orgs/{orgId}/login-links', `/partner/v1/orgs/${newOrg}/login-links`, login);

    expect(wrong).toEqual([]);
    expect([...tried].toSorted()).toEqual(Object.keys(AUDITED).toSorted());

    const { rows } = await sql<{
      text: string;
    }>`select row_to_json(audit_entries)::text as text from audit_entries`.execute(api.db);
    const all = rows.map(({ text }) => text).join('\n');
    for (const hidden of [SECRET, 'token=51c0', 'Zoe', 'zoe@', 'Be brief', 'Five days', 'Hello'])
      expect(all).not.toContain(hidden);
  });

  it('says which fields of the settings changed, from what to what', async () => {
    await admin.patch('/org/settings', { daily_cap: 5 });
    expect(await latest('&kind=org')).toMatchObject({
      actor: { kind: 'member', id: `${admin.id}`, name: 'The admin' },
      kind: 'org',
      ref: api.org.id,
      action: 'changed',
      changes: [{ field: 'settings.daily_cap', old: 3, new: 5 }],
    });
    await api.org.patch('/org/settings', { daily_cap: 5 });
    expect((await latest('&kind=org')).actor.kind).toBe('member'); // nothing has changed
  });

  it('names the fields that hold texts of people, and shows no word of them', async () => {
    const words = 'Zoe is never to be mentioned';
    await admin.patch('/org/settings', { prohibited_topics: [words], prohibited_topic_message: words, csat: true });
    expect((await latest('&kind=org')).changes).toEqual([
      { field: 'settings.csat', old: null, new: true },
      { field: 'settings.prohibited_topic_message' },
      { field: 'settings.prohibited_topics' },
    ]);
    await admin.patch('/autopilot/settings', {
      canned_answers: [{ name: 'zoe', text: words }],
      phrases: { en: { found: words } },
      max_steps: 7,
    });
    expect((await latest('&kind=ai_settings')).changes).toEqual([
      { field: 'draft.canned_answers' },
      { field: 'draft.max_steps', old: null, new: 7 },
      { field: 'draft.phrases' },
    ]);
    await admin.put('/widget/settings', { appearance: { greeting: words }, ai: { disclosure: words }, files: false });
    expect((await latest('&kind=widget')).changes).toContainEqual(
      expect.objectContaining({ field: 'settings.files', new: false }),
    );
    await admin.put('/tags', { tag_name: 'described', description: words });
    expect(JSON.stringify(await entries())).not.toContain(words);
  });

  it('has nothing of what the product counts, such as events for which a constraint failed', async () => {
    const step = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
    const made = { name: 'Counted', trigger_type: 'manual-trigger', workflow_blocks: [step] };
    const { workflow_id: id } = (await admin.post('/workflows', made)).body;
    const before = await entries(`&ref=${id}`);
    expect(before.length).toBeGreaterThan(0);
    const failure = { count: 1, message: 'No such variable' };
    await api.db.transaction().execute((trx) => recordConstraintErrors(trx, api.org.id, id, failure));
    expect(await entries(`&ref=${id}`)).toEqual(before);
  });

  it('has an equal change of two actors in the same moment twice, and of one actor once', async () => {
    const { body } = await admin.post('/sequences', { filter: FILTER, steps: [SMS, SMS], is_continuous: true });
    const count = (await entries(`&ref=${body.id}`)).length;
    await api.db.transaction().execute(async (trx) => {
      const change = () =>
        sql`update sequence_steps set delay_in_minutes = delay_in_minutes + 1 where sequence_id = ${body.id}`.execute(
          trx,
        );
      for (const id of ['one', 'two']) await runAsAuditor({ kind: 'operator', id, name: null }, change);
    });
    const added = (await entries(`&ref=${body.id}`)).slice(0, -count);
    expect(added.map(({ actor }: { actor: { id: string } }) => actor.id).toSorted()).toEqual(['one', 'two']);
  });

  it('is written whatever the search path of who changes a row', async () => {
    const { body: team } = await admin.post('/teams', { name: 'Second' });
    await api.db.transaction().execute(async (trx) => {
      await sql`set local search_path to pg_catalog`.execute(trx);
      await sql`update public.teams set name = 'Third' where id = ${team.id}`.execute(trx);
    });
    expect((await latest(`&ref=${team.id}`)).changes).toEqual([{ field: 'name', old: 'Second', new: 'Third' }]);
  });

  it('has a sign-in as the act of the member', async () => {
    const agent = await signIn(api, 'agent');
    expect(await latest('&kind=sign_in')).toMatchObject({
      actor: { kind: 'member', id: `${agent.id}`, name: 'The agent' },
      ref: `${agent.id}`,
      action: 'created',
      changes: [],
    });
  });

  it('leaves no row of a change that was undone, and names the product where nobody acts', async () => {
    const count = (await entries()).length;
    await expect(
      api.db.transaction().execute(async (trx) => {
        await sql`update orgs set website = 'https://undone.example' where id = ${api.org.id}`.execute(trx);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect((await entries()).length).toBe(count);
    await sql`update orgs set website = 'https://done.example' where id = ${api.org.id}`.execute(api.db);
    expect((await latest()).actor).toEqual({ kind: 'system', id: null, name: null });
  });

  it('names the operator for what is done at the command line', async () => {
    const { keyId } = await api.other.withScopes('contacts:read');
    const { DATABASE_URL, JWT_SECRET } = api.config;
    const env = { DATABASE_URL, JWT_SECRET, SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}` };
    expect(await runCommand(['key', 'revoke', keyId], { env, print: () => {}, printError: () => {} })).toBe(0);
    const { body } = await api.other.get('/audit?kind=api_key');
    expect(body.items[0]).toMatchObject({ actor: { kind: 'operator' }, ref: keyId, action: 'deleted' });
  });

  it('is filtered by actor, kind, object and time, and read page by page', async () => {
    const { body: team } = await admin.post('/teams', { name: 'Filtered' });
    await api.org.put(`/teams/${team.id}`, { name: 'Filtered again' });
    const ofTeam = await entries(`&ref=${team.id}`);
    expect(ofTeam.map(({ actor }: { actor: { kind: string } }) => actor.kind)).toEqual(['key', 'member']);
    expect(await entries(`&ref=${team.id}&actor=${admin.id}`)).toEqual([ofTeam[1]]);
    expect(await entries(`&ref=${team.id}&kind=tag`)).toEqual([]);
    expect(await entries(`&ref=${team.id}&from=${ofTeam[0].at}`)).toEqual([ofTeam[0]]);
    expect(await entries(`&ref=${team.id}&to=${ofTeam[0].at}`)).toEqual([ofTeam[1]]);
    const first = await api.org.get(`/audit?ref=${team.id}&limit=1`);
    expect(first.body.items).toEqual([ofTeam[0]]);
    const second = await api.org.get(`/audit?ref=${team.id}&limit=1&cursor=${first.body.next}`);
    expect(second.body).toEqual({ items: [ofTeam[1]], next: null });
  });

  it('is for admins of the org, and for keys with the scope', async () => {
    for (const role of ['agent', 'viewer'] as const)
      expect((await (await signIn(api, role)).get('/audit')).status).toBe(403);
    expect((await (await api.org.withScopes('org:read', 'org:write')).get('/audit')).status).toBe(403);
    expect((await (await api.org.withScopes('audit:read')).get('/audit')).status).toBe(200);
    expect((await admin.get('/audit')).status).toBe(200);
    const { body } = await api.other.get('/audit?limit=100');
    const { rows } = await sql<{ id: string }>`select id from audit_entries where org_id = ${api.org.id}`.execute(
      api.db,
    );
    const ids = new Set(rows.map(({ id }) => id));
    expect(body.items.filter(({ id }: { id: string }) => ids.has(id))).toEqual([]);
  });

  it('keeps entries for the days that are set', async () => {
    await sql`update audit_entries set created_at = now() - interval '11 days' where kind = 'tag'`.execute(api.db);
    const others = (await sql`select from audit_entries where kind <> 'tag'`.execute(api.db)).rows.length;
    while ((await deleteOldAuditEntries(api.db, 10)) > 0);
    expect((await sql`select from audit_entries`.execute(api.db)).rows.length).toBe(others);
  });
});
