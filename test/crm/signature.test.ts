import fc from 'fast-check';
import {
  hubspotSignatureV1,
  hubspotSignatureV3,
  isSigned,
  isSignedV3,
  type SignedRequest,
} from '../../src/providers/crm/hubspot/webhook-signatures.ts';

const SECRET = 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy';
const URL = 'https://www.example.com/webhook_uri';
const NOW = 1_764_000_000_000;

const signed = (body: string, { url = URL, at = NOW, method = 'POST' } = {}): SignedRequest => ({
  method,
  url,
  body: Buffer.from(body),
  headers: {
    'x-hubspot-signature-v3': hubspotSignatureV3(SECRET, { method, url, body: Buffer.from(body) }, String(at)),
    'x-hubspot-request-timestamp': String(at),
  },
});

describe('a HubSpot signature', () => {
  it('a signature of version 3 matches the test vector of HubSpot’s own libraries', () => {
    const call = {
      method: 'POST',
      url: URL,
      body: Buffer.from("{'example_field':'example_value'}"),
      headers: {
        'x-hubspot-signature-v3': 'HPW73RUtKmcYoEDADG0s6MmGFWUzWJKAW07r8RDgcQw=',
        'x-hubspot-request-timestamp': '15000000',
      },
    };
    expect(isSignedV3(SECRET, call, 15_000_000)).toBe(true);
    expect(isSignedV3(SECRET, { ...call, method: 'PUT' }, 15_000_000)).toBe(false);
  });

  it.each([
    ["{'example_field':'example_value'}", '69fc6631a867edd4f9e9e627fc5c1148e3fbdd8b21837b6d2b8901c1fa57f750'],
    [
      '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","changeFlag":"NEW","appId":54321}]',
      '232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de',
    ],
  ])('a signature of version 1 matches the published example: %s', (body, signature) => {
    const call = { method: 'POST', url: URL, body: Buffer.from(body), headers: { 'x-hubspot-signature': signature } };
    expect(isSigned(SECRET, call, NOW)).toBe(true);
    expect(isSigned('other', call, NOW)).toBe(false);
    expect(isSignedV3(SECRET, call, NOW)).toBe(false);
  });

  it('is valid for five minutes in both directions', () => {
    for (const [at, isGood] of [
      [NOW, true],
      [NOW - 300_000, true],
      [NOW + 300_000, true],
      [NOW - 300_001, false],
      [NOW + 300_001, false],
    ] as const)
      expect([at, isSignedV3(SECRET, signed('[]', { at }), NOW)]).toEqual([at, isGood]);
  });

  it('a signature of version 1 does not replace an invalid one of version 3', () => {
    const stale = signed('[]', { at: NOW - 400_000 });
    stale.headers['x-hubspot-signature'] = hubspotSignatureV1(SECRET, stale.body);
    expect(isSigned(SECRET, stale, NOW)).toBe(false);
  });

  it('is computed over a URI with only some escapes decoded', () => {
    const escaped = 'https://a.example/x?u=%3A%2F%3F%40%21%24%27%28%29%2A%2C%3B&v=%20%25%26%3D%C3%A9';
    const body = Buffer.from('[]');
    const call = { method: 'POST', body };
    const decoded = "https://a.example/x?u=:/?@!$'()*,;&v=%20%25%26%3D%C3%A9";
    expect(hubspotSignatureV3(SECRET, { ...call, url: escaped }, '1')).toBe(
      hubspotSignatureV3(SECRET, { ...call, url: decoded }, '1'),
    );
    expect(hubspotSignatureV3(SECRET, { ...call, url: decoded }, '1')).not.toBe(
      hubspotSignatureV3(SECRET, { ...call, url: decodeURIComponent(escaped) }, '1'),
    );
  });

  it('covers every byte of the body, the address, the time and the secret', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.integer({ min: 1, max: 255 }), (body, place, change) => {
        const call = signed(body);
        expect(isSignedV3(SECRET, call, NOW)).toBe(true);
        const changed = Buffer.from(call.body);
        changed[place % changed.length] = (changed[place % changed.length] as number) ^ change;
        expect(isSignedV3(SECRET, { ...call, body: changed }, NOW)).toBe(false);
        expect(isSignedV3(SECRET, { ...call, body: Buffer.from(`${body} `) }, NOW)).toBe(false);
        expect(isSignedV3(SECRET, { ...call, url: `${URL}/` }, NOW)).toBe(false);
        expect(isSignedV3(`${SECRET}x`, call, NOW)).toBe(false);
        const later = { ...call.headers, 'x-hubspot-request-timestamp': String(NOW + 1) };
        expect(isSignedV3(SECRET, { ...call, headers: later }, NOW)).toBe(false);
      }),
    );
  });

  it('is invalid for a body parsed and serialized again', () => {
    const call = signed('[ {"objectId": 7, "value": "\\u00e9"} ]');
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(call.body.toString())));
    expect(isSignedV3(SECRET, { ...call, body: rewritten }, NOW)).toBe(false);
  });

  it.each(['', '0x10', '1e12', 'now', '-1', '99999999999999999999', ' 1764000000000'])(
    'is invalid with the time %j',
    (timestamp) => {
      const body = Buffer.from('[]');
      const headers = {
        'x-hubspot-signature-v3': hubspotSignatureV3(SECRET, { method: 'POST', url: URL, body }, timestamp),
        'x-hubspot-request-timestamp': timestamp,
      };
      expect(isSignedV3(SECRET, { method: 'POST', url: URL, body, headers }, NOW)).toBe(false);
    },
  );
});
