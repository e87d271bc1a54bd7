import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { dkimSign } from 'mailauth';
import { authenticationFieldsOf, trustedResult } from '../../../src/deliveries/mail/authentication-results.rules.ts';
import { createMailAuthenticator, type MailAuthenticator } from '../../../src/providers/email/authenticator.ts';
import { type FakeDns, startFakeDns } from '../../support/fakes/dns.ts';
import { mailOf } from '../../support/mails.ts';

const FROM = 'ann@example.org';
/** Addresses of the documentation’s networks are none of the internet. */
const SERVER = { ip: '93.184.216.9', helo: 'mx.example.org' };

const KEYS = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

describe('SPF, DKIM and DMARC', () => {
  let dns: FakeDns;
  let authenticator: MailAuthenticator;
  beforeAll(async () => {
    dns = await startFakeDns();
    authenticator = createMailAuthenticator({ servers: [dns.address] });
  });
  afterAll(() => dns.close());
  beforeEach(() => {
    dns.clear();
    dns.set('s1._domainkey.example.org', [`v=DKIM1; k=rsa; p=${KEYS.publicKey.toString('base64')}`]);
    dns.set('_dmarc.example.org', ['v=DMARC1; p=reject']);
    dns.set('example.org', ['v=spf1 ip4:93.184.216.9 -all']);
  });

  const mail = (headers: Record<string, string> = {}, body = 'Hello') => mailOf({ From: FROM, ...headers }, body);
  async function signed(raw: string, more: object = {}): Promise<string> {
    const signing = { signingDomain: 'example.org', selector: 's1', privateKey: KEYS.privateKey, ...more };
    const { signatures, errors } = await dkimSign(raw, { ...signing, signatureData: [signing] });
    expect(errors).toEqual([]);
    return signatures + raw;
  }
  const authenticate = (raw: string, more: object = {}) =>
    authenticator.authenticate(Readable.from([Buffer.from(raw)], { objectMode: false }), {
      from: FROM,
      mailFrom: FROM,
      client: null,
      signatures: raw.match(/^DKIM-Signature:/gim)?.length ?? 0,
      ...more,
    });

  it('recognize a mail that its domain has signed, whoever hands it over', async () => {
    expect(await authenticate(await signed(mail()))).toEqual({ isAuthentic: true, isForged: false });
    const elsewhere = { client: { ip: '93.184.217.7', helo: 'x' } };
    expect(await authenticate(await signed(mail()), elsewhere)).toEqual({ isAuthentic: true, isForged: false });
  });

  it('recognize a mail from a server of its domain', async () => {
    expect(await authenticate(mail(), { client: SERVER })).toEqual({ isAuthentic: true, isForged: false });
    dns.set('_dmarc.example.org', 'no records');
    expect(await authenticate(mail(), { client: SERVER })).toEqual({ isAuthentic: true, isForged: false });
  });

  it('recognize a forged mail: unsigned and from another server, or changed on its way', async () => {
    const elsewhere = { client: { ip: '93.184.217.7', helo: 'x' } };
    expect(await authenticate(mail(), elsewhere)).toEqual({ isAuthentic: false, isForged: true });
    const changed = `${await signed(mail())}Send money\r\n`;
    expect(await authenticate(changed)).toEqual({ isAuthentic: false, isForged: true });
    const foreign = await signed(mail({ From: 'eve@elsewhere.example' }));
    expect(await authenticate(foreign)).toEqual({ isAuthentic: false, isForged: false });
  });

  it('prove nothing by a signature of a part of the body', async () => {
    const raw = await signed(mail(), { maxBodyLength: 7, canonicalization: 'relaxed/relaxed' });
    expect(raw).toMatch(/\bl=7\b/);
    expect(await authenticate(`${raw}And send money\r\n`)).toEqual({ isAuthentic: false, isForged: true });
  });

  it('prove nothing without a signature behind a server of one’s own network, and by a flood of signatures', async () => {
    const own = { client: { ip: '10.0.0.3', helo: 'relay' } };
    expect(await authenticate(mail(), own)).toEqual({ isAuthentic: false, isForged: false });
    expect(await authenticate(await signed(mail()), { signatures: 11 })).toEqual({
      isAuthentic: false,
      isForged: false,
    });
  });
});

describe('Authentication-Results', () => {
  const PASS = 'mx.acme.example; spf=pass smtp.mailfrom=x.example; dmarc=pass (p=NONE) header.from=example.org';
  const resultOf = (fields: [string, string][], trusted = ['mx.acme.example']) =>
    trustedResult(
      authenticationFieldsOf(fields.map(([name, value]) => ({ key: name.toLowerCase(), line: `${name}: ${value}` }))),
      { trusted, domain: 'example.org' },
    );
  const FIELD = 'Authentication-Results';

  it.each<[string, [string, string][], 'pass' | 'fail' | undefined]>([
    ['a pass', [[FIELD, PASS]], 'pass'],
    ['a failure', [[FIELD, PASS.replace('dmarc=pass', 'dmarc=fail')]], 'fail'],
    ['no result', [[FIELD, PASS.replace('dmarc=pass', 'dmarc=none')]], undefined],
    ['another server', [[FIELD, PASS.replace('mx.acme', 'mx.evil')]], undefined],
    [
      'one below another server’s',
      [
        [FIELD, PASS.replace('mx.acme', 'mx.evil')],
        [FIELD, PASS],
      ],
      undefined,
    ],
    ['another domain', [[FIELD, PASS.replace('header.from=example.org', 'header.from=evil.example')]], undefined],
    ['a comment', [[FIELD, 'mx.acme.example; spf=fail (x; dmarc=pass header.from=example.org)']], undefined],
    [
      'a part of the body',
      [
        [FIELD, PASS],
        ['DKIM-Signature', 'v=1; d=example.org; l=7; b=x'],
      ],
      undefined,
    ],
    ['nothing', [], undefined],
  ])('of the uppermost trusted server count: %s', (_name, fields, expected) => {
    expect(resultOf(fields)).toBe(expected);
  });
  it('count for nothing where no server is trusted', () => {
    expect(resultOf([[FIELD, PASS]], [])).toBeUndefined();
  });
});
