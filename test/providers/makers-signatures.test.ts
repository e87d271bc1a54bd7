import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { isSlackSignature } from '../../src/providers/slack/callbacks.ts';
import { isTwilioSignature } from '../../src/providers/twilio/callbacks.ts';

const PACKAGES = ['twilio@6.3.1', '@slack/bolt@5.1.0'];
const inLongTier = process.env.TEST_TIER === 'long' ? describe : describe.skip;

interface Twilio {
  validateRequest(token: string, signature: string, url: string, params: Record<string, string>): boolean;
  getExpectedTwilioSignature(token: string, url: string, params: Record<string, string>): string;
}
interface Bolt {
  /** Throws for a request that is not Slack's. */
  verifySlackRequest(request: {
    signingSecret: string;
    body: string;
    headers: { 'x-slack-signature': string; 'x-slack-request-timestamp': number };
    nowMilliseconds: number;
  }): void;
}

inLongTier('signatures, compared with the packages of their makers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'makers-'));
  let twilio: Twilio;
  let bolt: Bolt;
  beforeAll(async () => {
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--prefix', folder];
    await promisify(execFile)('npm', ['install', ...flags, ...PACKAGES]);
    const load = createRequire(join(folder, 'x.js'));
    twilio = load('twilio') as Twilio;
    bolt = load('@slack/bolt') as Bolt;
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const isSaid = (verify: () => void) => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  };

  it('are accepted from Twilio as its own package accepts them, and with any change by neither', () => {
    const field = fc.stringMatching(/^[A-Za-z]{1,12}\d?$/);
    const url = fc.constantFrom(
      'https://desk.example.com/callbacks/1',
      'https://desk.example.com/callbacks/1?a=b&c=%20d',
    );
    fc.assert(
      fc.property(text, url, fc.dictionary(field, text), text, (token, at, given, other) => {
        const params = { ...given };
        const signature = twilio.getExpectedTwilioSignature(token, at, params);
        for (const [secret, form] of [
          [token, params],
          [`${token}${other}`, params],
          [token, { ...params, Body: other }],
        ] as const)
          expect(isTwilioSignature(secret, at, new URLSearchParams(form), signature)).toBe(
            twilio.validateRequest(secret, signature, at, { ...form }),
          );
      }),
    );
  });

  it('are accepted from Slack as its own package accepts them, and with any change or a late one by neither', () => {
    const second = 1_760_000_000;
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        text,
        fc.integer({ min: -600, max: 299 }),
        text,
        (secret, body, ageSeconds, other) => {
          const signed = createHmac('sha256', secret).update(`v0:${second}:${body}`).digest('hex');
          const signature = `v0=${signed}`;
          const now = (second + ageSeconds) * 1_000;
          if (ageSeconds < -299) return; // Slack's package takes what is signed in the future
          for (const [key, content] of [
            [secret, body],
            [`${secret}${other}`, body],
            [secret, body + other],
          ] as const) {
            const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': second };
            const request = { signingSecret: key, body: content, headers, nowMilliseconds: now };
            const ours = { 'x-slack-signature': signature, 'x-slack-request-timestamp': String(second) };
            expect(isSlackSignature(key, Buffer.from(content), ours, new Date(now))).toBe(
              isSaid(() => bolt.verifySlackRequest(request)),
            );
          }
        },
      ),
    );
  });
});
