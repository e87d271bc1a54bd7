import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { storeMessageOverrides } from '../../src/actions/overrides/service.ts';
import { ACTIONS } from '../../src/automations/actions/registry.ts';
import { doStep, failStep } from '../../src/automations/runs/steps.service.ts';
import { runCommand } from '../../src/cli/commands.ts';
import { createConversationStore } from '../../src/crm/salesforce/conversation-store.service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createMailTokens, messageIdOf, replyAddress } from '../../src/deliveries/inbound/mail-tokens.ts';
import { createUnsubscribeLinks } from '../../src/deliveries/ledger/delivery-links.ts';
import { newId } from '../../src/ids.ts';
import { createTokens } from '../../src/keys/tokens.ts';
import { createMediaLinks } from '../../src/media/links.ts';
import { SEALED_COLUMNS } from '../../src/operations/key-rotation/sealed-columns.ts';
import { createCallbackUrls } from '../../src/orgs/integrations/callback-urls.ts';
import { createSecrets } from '../../src/secrets.ts';
import type { SigningSecrets } from '../../src/signatures.ts';
import { depsOf } from '../automations/action-runner.ts';
import { addMessage } from '../support/messages.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { activate } from '../support/triggers.ts';

const OLD = 'an old secret of 32 characters, and more';
const NEW = 'a new secret of 32 characters and more';
const IDS = { orgId: newId(), deliveryId: newId() };
const MEDIA = { org_id: IDS.orgId, id: newId() };
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';

/** What is signed, and whether an installation with other secrets takes it for its own. */
const SIGNED: Record<string, (signing: SigningSecrets, reading: SigningSecrets) => unknown> = {
  'a key of an org': async (signing, reading) =>
    createTokens(reading).verify(
      'org',
      await createTokens(signing).sign('org', { keyId: MEDIA.id, ownerId: MEDIA.org_id }),
    ),
  'the token of a visitor': async (signing, reading) =>
    createTokens(reading).verify(
      'contact',
      await createTokens(signing).sign('contact', { keyId: MEDIA.id, ownerId: MEDIA.org_id }, '1 hour'),
    ),
  'a link to a file': (signing, reading) =>
    createMediaLinks(reading, '').read(tokenOf(createMediaLinks(signing, '').linkOf(MEDIA))),
  'a link to unsubscribe': (signing, reading) =>
    createUnsubscribeLinks(reading, '').read(tokenOf(createUnsubscribeLinks(signing, '').urlOf(IDS))),
  'a reply address': (signing, reading) =>
    createMailTokens(reading).readAddress(
      replyAddress(createMailTokens(signing).tokenOf(IDS), 'x.example'),
      'x.example',
    ),
  'a Message-ID': (signing, reading) =>
    createMailTokens(reading).findRef(messageIdOf(createMailTokens(signing).tokenOf(IDS), 'x.example')),
  'an address for callbacks': (signing, reading) =>
    createCallbackUrls(reading, '').isToken(
      'meta',
      IDS.orgId,
      tokenOf(createCallbackUrls(signing, '').urlOf('meta', IDS.orgId)),
    ) || undefined,
  'our secret for callbacks': (signing, reading) =>
    createCallbackUrls(reading, '')
      .secretsOf('vapi', IDS.orgId)
      .find((secret) => secret === createCallbackUrls(signing, '').secretsOf('vapi', IDS.orgId)[0]),
};

describe('the rotation of JWT_SECRET', () => {
  it.each(Object.entries(SIGNED))(
    'keeps %s valid in both directions, until the old secret is ended',
    async (_, read) => {
      expect(await read([OLD], [OLD])).toBeDefined();
      expect(await read([OLD], [NEW, OLD])).toBeDefined();
      expect(await read([NEW, OLD], [OLD, NEW])).toBeDefined();
      expect(await read([OLD], [NEW])).toBeUndefined();
    },
  );
});

const ring = (...kids: string[]) =>
  kids.map((kid, n) => `${kid}:${Buffer.alloc(32, kid === 'test' ? 7 : n + 20).toString('base64')}`);
const [K2 = ''] = ring('k2');
const [TEST = ''] = ring('test');

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ isInProcess: true, env: { EGRESS_ALLOW: '127.0.0.0/8', FAST_PATHS: 'off' } }); // this test does the steps
});
afterAll(() => api.close());

/** Runs a command of the operator with this key ring. */
async function secretsCommand(verb: string, SECRET_KEYS: string) {
  const printed: string[] = [];
  const { DATABASE_URL, JWT_SECRET } = api.config;
  const code = await runCommand(['secrets', verb, '--json'], {
    env: { DATABASE_URL, JWT_SECRET, SECRET_KEYS },
    print: (text) => printed.push(text),
    printError: (text) => printed.push(text),
  });
  return { code, output: JSON.parse(printed[0] ?? '') };
}

/** Every column of the database with this text. */
async function columnsWith(text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string; count: number }>`
    select table_name || '.' || column_name as name, (xpath('/row/n/text()', query_to_xml(format(
      'select count(*) as n from %I where %I::text like %L', table_name, column_name, '%' || ${text}::text || '%'
    ), false, true, '')))[1]::text::integer as count
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'jsonb', 'ARRAY') order by 1
  `.execute(api.db);
  return rows.filter(({ count }) => count > 0).map(({ name }) => name);
}

const CONTACT = { email: 'ann@customers.example', http_action_overrides: { headers: { 'x-token': 'of ann' } } };
const CALL = {
  $kind: 'Action',
  id: 'call',
  type: 'send-webhook',
  name: 'Call',
  input: {
    url: 'http://127.0.0.1:1/nobody',
    headers: { authorization: 'Bearer one' },
    body: { password: { of: 'two' } },
  },
};

/** Stores a secret in every column that has some. */
async function storeSecrets(): Promise<void> {
  const { org, db, deps } = api;
  const done = await Promise.all([
    org.put('/email/domains', { domainName: 'example.com' }),
    org.post('/contacts', { contact: CONTACT }),
    org.patch('/org/settings', {
      http_action_overrides: { hosts: ['https://x.example'], headers: { 'x-token': 'x' } },
    }),
    org.post('/org/api-keys', { name: 'Repeated' }, { headers: { 'idempotency-key': 'one' } }),
    org.put('/integrations/sms', {
      provider: 'twilio',
      settings: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'token', from: '+15005550006' },
    }),
  ]);
  expect(done.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
  const webhook = {
    url: 'http://127.0.0.1:1/hook',
    event_types: ['contact.created'],
    headers: { Authorization: 'Bearer' },
  };
  const endpoint = await org.post('/webhooks', webhook);
  await org.post(`/webhooks/${endpoint.body.id}/rotate-secret`, { grace_hours: 24 });
  await org.post('/workflows', {
    name: 'Hook',
    trigger_type: 'webhook',
    trigger_configuration: { secret: 'a secret of at least 24 characters' },
    workflow_blocks: [CALL],
    workflow_editor_state: { copy: [{ password: 'three' }] },
  });
  await storeRetry();
  const { id: sessionId } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  await storeConversation(sessionId);
  await org.post(`/chat/sessions/${sessionId}/handoff`, { reason: 'A' }, { headers: { 'idempotency-key': 'two' } });
  const messageId = newId();
  await inTransaction(db, (trx) =>
    addMessage(trx, org.id, { id: messageId, sessionId, sender: 'contact', content: 'Hello' }),
  );
  await inTransaction(db, (trx) =>
    storeMessageOverrides(trx, deps.secrets, org.id, { messageId, overrides: { headers: { a: 'b' } } }),
  );
  const token = deps.secrets.encrypt('t', { orgId: org.id, table: 'crm_tokens', column: 'sealed', row: 'c' });
  await db
    .insertInto('crm_tokens')
    .values({ org_id: org.id, connection: 'c', sealed: token, expires_at: null })
    .execute();
}

/** Retries a failed step with other credentials. */
async function storeRetry(): Promise<void> {
  const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [CALL] });
  const runId = (await api.org.post(`/workflows/${id}/trigger`, { input: {} })).body.run_id;
  const at = { orgId: api.org.id, runId, path: '0' };
  const deps = { ...depsOf(api), actions: ACTIONS };
  await doStep(deps, at).catch(() => failStep(deps, { ...at, error: 'not there' }));
  const retried = await api.org.post(`/workflows/${id}/runs/${runId}/retry`, { input: CALL.input });
  expect(retried.status).toBe(200);
}

/** Stores the tokens of a session's conversation in Salesforce, and of the one before it. */
async function storeConversation(sessionId: string): Promise<void> {
  const { org, db, deps } = api;
  const store = createConversationStore(db, deps.secrets, org.id);
  const expiresAt = new Date(Date.now() + 60_000);
  await store.replaceToken(await store.getOrCreate(sessionId), { token: 'current', expiresAt });
  await sql`
    update miaw_conversations set ended_id = gen_random_uuid(), ended_sealed_token = sealed_token, ended_token_expires_at = now()
  `.execute(db);
}

/** Whether a process with this key ring takes the contact's same values, given again, for no change. */
async function savesTheSame(SECRET_KEYS: string): Promise<boolean> {
  const rotated = await startApi({ databaseUrl: api.databaseUrl, isInProcess: true, env: { SECRET_KEYS } });
  const stored = () => api.db.selectFrom('contacts').select(['updated_at', 'http_action_overrides']).execute();
  const before = await stored();
  expect((await rotated.client(api.org.key).post('/contacts', { contact: CONTACT })).status).toBe(201);
  await rotated.close();
  return isDeepStrictEqual(await stored(), before);
}

describe('the rotation of an encryption key', () => {
  it('reencrypts every stored secret, says when the old key is unused, and needs it no more', async () => {
    await storeSecrets();
    const columns = await columnsWith('v1.test.');
    expect(columns).toEqual(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort());

    const before = await secretsCommand('status', `${K2},${TEST}`);
    expect(before.output).toMatchObject([
      { key: 'k2', use: 'encrypts', secrets: 0 },
      { key: 'test', use: 'decrypts', advice: expect.stringContaining('in use') },
    ]);
    expect(await savesTheSame(`${K2},${TEST}`)).toBe(true);
    const { code, output } = await secretsCommand('reencrypt', `${K2},${TEST}`);
    expect({ code, output }).toMatchObject({
      code: 0,
      output: [
        { changed_meanwhile: 0, unreadable: 0 },
        { key: 'k2', secrets: before.output[1].secrets },
        { key: 'test', secrets: 0, advice: expect.stringContaining('unused: remove it') },
      ],
    });
    expect(await columnsWith('v1.test.')).toEqual([]);
    expect((await secretsCommand('reencrypt', K2)).output[0]).toMatchObject({ reencrypted: 0, unreadable: 0 });

    expect(await savesTheSame(K2)).toBe(true);
  });

  it('shows what no key decrypts, changes nothing of it, and fails', async () => {
    const { org, db } = api;
    const sealed = createSecrets(ring('lost')[0] ?? '').encrypt('{}', {
      orgId: org.id,
      table: 'orgs',
      column: 'http_action_overrides',
      row: org.id,
    });
    await sql`update orgs set http_action_overrides = ${sealed} where id = ${org.id}`.execute(db);
    const { code, output } = await secretsCommand('reencrypt', `${K2},${TEST}`);
    expect(code).toBe(1);
    expect(output[0]).toMatchObject({
      unreadable: 1,
      unreadable_rows: [expect.stringContaining(`orgs.http_action_overrides of ${org.id}`)],
    });
    expect(output).toContainEqual(
      expect.objectContaining({ key: 'lost', use: 'is missing in SECRET_KEYS', secrets: 1 }),
    );
    expect(
      (await db.selectFrom('orgs').select('http_action_overrides as it').where('id', '=', org.id).executeTakeFirst())
        ?.it,
    ).toBe(sealed);
  });
});
