import { createPublicKey, sign, verify } from 'node:crypto';
import { sql } from 'kysely';
import { checkVerifiedDomains, findDkimSigning, isVerifiedSender } from '../../src/deliveries/email-domains/service.ts';
import { createDns } from '../../src/providers/egress/dns.ts';
import { type FakeDns, startFakeDns } from '../support/fakes/dns.ts';
import { type Client, startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let dns: FakeDns;
let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  dns = await startFakeDns();
  api = await startApi({ env: { DNS_SERVERS: dns.address } });
});
afterAll(async () => {
  await api.close();
  await dns.close();
});
beforeEach(async () => {
  dns.clear();
  org = await api.createOrg();
});

const DOMAIN = 'mail.acme.example';
const put = (domainName: unknown, who: Client = org) => who.put('/email/domains', { domainName });
const check = (domainName: string, who: Client = org) => who.patch(`/email/domains/${encodeURIComponent(domainName)}`);
const list = async (query = '', who: Client = org) => (await who.get(`/email/domains${query}`)).body;

/** Returns the DKIM record of a domain, added first if needed. */
async function recordOf(domainName = DOMAIN, who: Client = org) {
  const [record] = (await put(domainName, who)).body.domainRecords;
  const p: string = record.value.replace('v=DKIM1; k=rsa; p=', '');
  return { name: record.name as string, value: record.value as string, p };
}

/** Adds a domain and verifies it. */
async function prove(domainName = DOMAIN, who: Client = org) {
  const record = await recordOf(domainName, who);
  dns.set(record.name, [record.value]);
  expect((await check(domainName, who)).body.domainStatus).toBe('verified');
  return record;
}

describe('a sending domain', () => {
  it('gets its own key and lists the DNS records to publish, the same for every request', async () => {
    const { status, body } = await put(DOMAIN);
    const { name, value, p } = await recordOf();
    expect([status, body]).toEqual([
      200,
      {
        domainRecords: [
          { type: 'TXT', name, value, ttl: 3600, status: 'pending', found: null },
          {
            type: 'TXT',
            name: `_dmarc.${DOMAIN}`,
            value: 'v=DMARC1; p=none',
            ttl: 3600,
            status: 'pending',
            found: null,
          },
        ],
        domainStatus: 'pending',
      },
    ]);
    expect(name).toMatch(new RegExp(`^sb[0-9a-f]{10}\\._domainkey\\.${DOMAIN.replaceAll('.', '\\.')}$`));
    const key = createPublicKey({ key: Buffer.from(p, 'base64'), format: 'der', type: 'spki' });
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength]).toEqual(['rsa', 2048]);

    expect((await put(`${DOMAIN.toUpperCase()}.`)).body).toEqual(body);
    expect(await list()).toEqual({
      items: [{ domainName: DOMAIN, ...body, checked_at: null, created_at: expect.any(String) }],
      next: null,
    });
    expect(dns.queries).toEqual([]);
  });

  it('has one key, however many requests add it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => put(DOMAIN)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect((await list()).items).toHaveLength(1);
  });

  it('must be verified by each org separately', async () => {
    const mine = await prove();
    const theirs = await recordOf(DOMAIN, api.other);
    expect(theirs.name).not.toBe(mine.name);
    expect(theirs.p).not.toBe(mine.p);
    expect((await check(DOMAIN, api.other)).body.domainStatus).toBe('pending');
    dns.set(theirs.name, [theirs.value]);
    expect((await check(DOMAIN, api.other)).body.domainStatus).toBe('verified');
    expect((await api.other.delete(`/email/domains/${DOMAIN}`)).status).toBe(200);
    expect((await list()).items[0].domainStatus).toBe('verified');
  });

  it('a domain of another org is not found', async () => {
    await prove('theirs.example', api.other);
    expect((await check('theirs.example')).status).toBe(404);
    expect((await org.delete('/email/domains/theirs.example')).status).toBe(404);
    expect(await list()).toEqual({ items: [], next: null });
    expect((await list('', api.other)).items).toHaveLength(1);
  });

  it('loses its key with its deletion: adding it again creates a new key', async () => {
    const before = await prove();
    expect(await org.delete(`/email/domains/${DOMAIN.toUpperCase()}`)).toMatchObject({ status: 200, body: '' });
    expect((await org.delete(`/email/domains/${DOMAIN}`)).status).toBe(404);
    expect((await check(DOMAIN)).status).toBe(404);
    const after = await recordOf();
    expect(after.name).not.toBe(before.name);
    expect(after.p).not.toBe(before.p);
    expect((await check(DOMAIN)).body.domainStatus).toBe('pending');
  });

  it('is refused beyond a hundred domains per org, even for concurrent requests', async () => {
    await sql`
      insert into sending_domains (org_id, id, domain, selector, public_key, private_key)
      select ${org.id}, gen_random_uuid(), n || '.example', 's', 'p', 'k' from generate_series(1, 99) n
    `.execute(api.db);
    const answers = await Promise.all([put('one.example.com'), put('two.example.com'), put('three.example.com')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).toMatch(/^domainName: .* at most 100/);
    expect((await put('99.example')).status).toBe(200);
  });

  it('is listed by creation, page by page', async () => {
    const names = ['c.example.com', 'a.example.com', 'b.example.com'];
    for (const name of names) await put(name);
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.next}`);
    expect([...first.items, ...second.items].map(({ domainName }) => domainName)).toEqual(names);
    expect(second.next).toBeNull();
  });

  it.each([
    ['Mail.ACME.Example', 'mail.acme.example'],
    ['acme.example.', 'acme.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    [`${'a.'.repeat(111)}example`, `${'a.'.repeat(111)}example`],
  ])('%s is stored as %s and found by either spelling', async (given, kept) => {
    expect((await put(given)).body.domainRecords[1].name).toBe(`_dmarc.${kept}`);
    expect((await list()).items.map(({ domainName }: { domainName: string }) => domainName)).toEqual([kept]);
    expect((await check(given)).status).toBe(200);
    expect((await org.delete(`/email/domains/${kept}`)).status).toBe(200);
  });

  it.each([
    '',
    'localhost',
    'example',
    '.example.com',
    'a..example.com',
    'example.com..',
    ' example.com',
    'exam ple.com',
    'https://example.com',
    'example.com/path',
    'example.com:25',
    'ann@example.com',
    'under_score.example.com',
    '-a.example.com',
    'a-.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(112)}example`,
    '192.0.2.1',
    '0x7f.1',
    '[2001:db8::1]',
    '2001:db8::1',
    '*.example.com',
    null,
    5,
    ['example.com'],
  ])('%j is refused with the field to change', async (domainName) => {
    const answer = await put(domainName);
    expect([answer.status, answer.body.issues?.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['body.domainName'],
    ]);
    expect(answer.body.issues[0].message).toMatch(/domain|expected string|characters/);
    if (typeof domainName !== 'string' || domainName === '') return;
    expect((await check(domainName)).body.issues).toMatchObject([{ path: 'params.domainName' }]);
    expect((await org.delete(`/email/domains/${encodeURIComponent(domainName)}`)).status).toBe(400);
  });
});

describe('verification of a sending domain', () => {
  const half = (text: string) => [text.slice(0, 200), text.slice(200)];

  it.each<[string, (record: { value: string; p: string }) => (string | string[])[]]>([
    ['as it was given', ({ value }) => [value]],
    ['split elsewhere', ({ value }) => [half(value)]],
    [
      'with white space in it and a last semicolon',
      ({ p }) => [[`v=DKIM1 ;k = rsa;\tp= ${half(p)[0]} `, ` ${half(p)[1]};`]],
    ],
    ['in another order, with tags of its own', ({ p }) => [half(`n=ours; p=${p}; h=sha256; k=rsa; v=DKIM1; t=s`)]],
    ['with its defaults left out', ({ p }) => [half(`p=${p}`)]],
    ['beside texts of a wildcard', ({ value }) => ['v=spf1 -all', value, 'v=DMARC1; p=none']],
  ])('accepts the record %s', async (_, texts) => {
    const record = await recordOf();
    dns.set(record.name, texts(record));
    const { status, body } = await check(DOMAIN);
    expect([status, body.domainStatus, body.domainRecords[0].status]).toEqual([200, 'verified', 'verified']);
    expect((await put(DOMAIN)).body).toEqual(body);
    const [item] = (await list()).items;
    expect(item).toMatchObject(body);
    expect(Date.now() - Date.parse(item.checked_at)).toBeLessThan(60_000);
  });

  it('is repeated daily: a domain without its record is no longer verified, one without an answer stays', async () => {
    const { name } = await prove();
    const resolver = createDns({ servers: [dns.address], timeoutMs: 250 });
    const age = (hours: number) =>
      api.db
        .updateTable('sending_domains')
        .set({ checked_at: new Date(Date.now() - hours * 3_600_000) })
        .where('org_id', '=', org.id)
        .execute();
    const status = async () => (await list()).items[0].domainStatus;
    await age(23);
    dns.clear();
    expect(await checkVerifiedDomains(api.db, resolver)).toEqual([]);
    await age(25);
    dns.set(name, 'SERVFAIL');
    expect([await checkVerifiedDomains(api.db, resolver), await status()]).toEqual([[], 'verified']);
    dns.clear();
    expect(await checkVerifiedDomains(api.db, resolver)).toEqual([{ org_id: org.id, domain: DOMAIN }]);
    expect(await status()).toBe('pending');
  });

  it.each<[string, (record: { value: string; p: string }) => string[]]>([
    ['another key', ({ p }) => [`v=DKIM1; k=rsa; p=${[...p].reverse().join('')}`]],
    ['half of the key', ({ p }) => [`v=DKIM1; k=rsa; p=${half(p)[0]}`]],
    ['a revoked key', () => ['v=DKIM1; k=rsa; p=']],
    ['another key beside ours', ({ value }) => [value, 'v=DKIM1; k=rsa; p=MIIB']],
    ['our key as one of another kind', ({ p }) => [`v=DKIM1; k=ed25519; p=${p}`]],
    ['semicolons with backslashes', ({ value }) => [value.replaceAll(';', '\\;')]],
  ])('fails if DNS has %s', async (_, texts) => {
    const record = await recordOf();
    dns.set(record.name, texts(record));
    const { status, body } = await check(DOMAIN);
    expect([status, body.domainStatus, body.domainRecords[0].status]).toEqual([200, 'failed', 'failed']);
    expect(body.domainRecords[0].found).toEqual(expect.arrayContaining([expect.stringContaining('p=')]));
    expect((await list()).items[0].domainRecords).toEqual(body.domainRecords);
    dns.set(record.name, [record.value]);
    expect((await check(DOMAIN)).body.domainStatus).toBe('verified');
  });

  it('stays pending without a DNS name, record or key, and is pending again once a record is removed', async () => {
    const record = await recordOf();
    for (const nothing of [undefined, 'no records', ['v=spf1 -all', 'hello', 'p', '']] as const) {
      if (nothing !== undefined) dns.set(record.name, nothing === 'no records' ? nothing : [...nothing]);
      expect((await check(DOMAIN)).body.domainStatus).toBe('pending');
      dns.set(record.name, [record.value]);
      expect((await check(DOMAIN)).body.domainStatus).toBe('verified');
    }
    dns.clear();
    expect((await check(DOMAIN)).body.domainStatus).toBe('pending');
  });

  it.each(['SERVFAIL', 'silence', 'nobody'] as const)(
    'reports the DNS failure %s and changes nothing',
    async (trouble) => {
      const server = trouble === 'nobody' ? '127.0.0.1:1' : dns.address;
      const impatient = await startApi({
        databaseUrl: api.databaseUrl,
        deps: { dns: createDns({ servers: [server], timeoutMs: 250 }) },
      });
      try {
        const client = impatient.client(org.key);
        const verified = await prove();
        const pending = await recordOf('pending.example');
        for (const { name } of [verified, pending]) if (trouble !== 'nobody') dns.set(name, trouble);
        const before = await list();

        const answer = await check(DOMAIN, client);
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
        expect(answer.body.message).toMatch(
          /^DNS gave no answer for sb\w+\._domainkey\.mail\.acme\.example \(E\w+\)\. The domain is still verified/,
        );
        expect((await check('pending.example', client)).body.message).toMatch(/still pending/);
        expect(await list()).toEqual(before);
      } finally {
        await impatient.close();
      }
    },
  );

  it('answers 404 if the domain is deleted in the meantime', async () => {
    await put(DOMAIN);
    const resolveTxt = async () => {
      await org.delete(`/email/domains/${DOMAIN}`);
      return [];
    };
    const slow = await startApi({ databaseUrl: api.databaseUrl, deps: { dns: { resolveTxt } } });
    expect((await check(DOMAIN, slow.client(org.key))).status).toBe(404);
    await slow.close();
  });

  it('accepts any DMARC policy and needs none', async () => {
    const record = await prove();
    const dmarcOf = async () => {
      const { domainStatus, domainRecords } = (await check(DOMAIN)).body;
      return `${domainStatus} ${domainRecords[1].status}`;
    };
    expect(await dmarcOf()).toBe('verified pending');
    dns.set(`_dmarc.${DOMAIN}`, ['v=spf1 -all', 'v=DMARC10; p=none']);
    expect(await dmarcOf()).toBe('verified pending');
    dns.set(`_dmarc.${DOMAIN}`, ['v = DMARC1; p=reject; rua=mailto:dmarc@acme.example']);
    expect(await dmarcOf()).toBe('verified verified');

    dns.set(`_dmarc.${DOMAIN}`, 'SERVFAIL');
    dns.set(record.name, 'no records');
    expect(await dmarcOf()).toBe('pending verified');
  });
});

describe('the private key of a sending domain', () => {
  const storedRow = () =>
    sql<{ row: string; private_key: string }>`
      select sending_domains::text as row, private_key from sending_domains where org_id = ${org.id}
    `.execute(api.db);

  it('is in no response and is encrypted at rest for its row only', async () => {
    const record = await prove();
    const { deps, db } = api;
    const signing = await findDkimSigning(db, deps.secrets, org.id, DOMAIN);
    const [, middle = ''] = signing?.privateKey.split('\n') ?? [];
    expect(middle).toHaveLength(64);

    const answers = JSON.stringify([await put(DOMAIN), await list(), await check(DOMAIN)]);
    const [row] = (await storedRow()).rows;
    for (const text of [answers, row?.row]) {
      expect(text).toContain(record.p);
      expect(text).not.toContain('PRIVATE');
      expect(text).not.toContain(middle);
    }
    expect(answers).not.toContain('private_key');
    expect(row?.private_key).toMatch(/^v1\.test\./);

    await prove(DOMAIN, api.other);
    await sql`update sending_domains set private_key = ${row?.private_key} where org_id = ${api.other.id}`.execute(db);
    await expect(findDkimSigning(db, deps.secrets, api.other.id, DOMAIN)).rejects.toThrow();
    await api.other.delete(`/email/domains/${DOMAIN}`);
  });

  it('matches the public key published in DNS', async () => {
    const { p } = await prove();
    const signing = await findDkimSigning(api.db, api.deps.secrets, org.id, DOMAIN);
    const mail = Buffer.from('a mail');
    const publicKey = createPublicKey({ key: Buffer.from(p, 'base64'), format: 'der', type: 'spki' });
    expect(verify('sha256', mail, publicKey, sign('sha256', mail, signing?.privateKey ?? ''))).toBe(true);
  });

  it('signs for its domain and all subdomains, the nearest verified domain first, and only while it is verified', async () => {
    const signs = async (domain: string, orgId = org.id) =>
      (await findDkimSigning(api.db, api.deps.secrets, orgId, domain))?.domain;
    const isSender = (email: string) => isVerifiedSender(api.db, org.id, email);
    const parent = await prove('acme.example');
    await recordOf('mail.acme.example');

    expect(await signs('acme.example')).toBe('acme.example');
    expect(await signs('mail.acme.example')).toBe('acme.example');
    await prove('mail.acme.example');
    expect(await signs('mail.acme.example')).toBe('mail.acme.example');
    expect(await signs('eu.Mail.ACME.example')).toBe('mail.acme.example');
    expect(await signs('acme.example')).toBe('acme.example');
    for (const other of ['example', 'notacme.example', 'acme.example.com', 'other.example', '']) {
      expect(await signs(other)).toBeUndefined();
      expect(await isSender(`ann@${other}`)).toBe(false);
    }
    expect(await signs('acme.example', api.other.id)).toBeUndefined();
    expect(await isSender('Ann@Acme.example')).toBe(true);
    expect(await isSender('ann@eu.mail.acme.example')).toBe(true);

    dns.set(parent.name, 'no records');
    await check('acme.example');
    expect(await signs('acme.example')).toBeUndefined();
    expect(await isSender('ann@acme.example')).toBe(false);
    expect(await signs('mail.acme.example')).toBe('mail.acme.example');
  });
});
