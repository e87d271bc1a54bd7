import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { forEachConcurrently } from '../../../../src/concurrency/limited.ts';
import { ownWordsOf } from '../../../../src/conversations/own-words/own-words.rules.ts';
import { mailOf } from '../../../support/mails.ts';
import { eventually, type Stack, startStack } from '../../../support/stack/stack.ts';
import { type CorpusFile, filesOf, generatedMails, isMail } from './mails.ts';

/** A folder of real mails and texts of replies: CONTRIBUTING says where to get one. */
const { MIME_CORPUS } = process.env;
const FILES = MIME_CORPUS === undefined ? [] : filesOf(MIME_CORPUS);
const AT_ONCE = 4;
const SECONDS = 1_000;

/** Lines of a mail by their numbers from 1, such as "1-3,5". Empty lines between them may be among them. */
interface Label {
  language: string;
  /** What its author wrote. */
  own: string;
  /** What counts as either, such as a name at the end. */
  either?: string;
}
const LABELS: Record<string, Label> = JSON.parse(readFileSync(new URL('own-words.json', import.meta.url), 'utf8'));

if (MIME_CORPUS === undefined)
  process.stdout.write('MIME_CORPUS names no folder: generated mails are tried alone, and no labelled reply.\n');

describe('mails of a corpus', () => {
  let stack: Stack;
  const inbox = 'support@example.com';
  beforeAll(async () => {
    stack = await startStack({ env: { DEVELOPMENT: 'true' } });
    expect((await stack.org.put('/email/inboxes', { address: inbox })).status).toBe(200);
  });
  afterAll(() => stack.close());

  async function give(raw: Buffer | string): Promise<{ status: number; body: { id?: string; message?: string } }> {
    const answer = await fetch(`${stack.url}/email/inbound?to=${inbox}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.org.key}`, 'content-type': 'message/rfc822' },
      body: Buffer.from(raw),
    });
    return { status: answer.status, body: (await answer.json()) as { id?: string; message?: string } };
  }
  /** A large corpus takes more than `eventually` waits. */
  async function rowsRead() {
    for (let left = await countUnread(); left > 0; ) {
      const before = left;
      left = await eventually('some mails to be read', async () => {
        const now = await countUnread();
        return (now < before && { now }) || undefined;
      }).then(({ now }) => now);
    }
    return stack.db.selectFrom('inbound_emails').select(['id', 'result']).where('org_id', '=', stack.org.id).execute();
  }
  const countUnread = async () =>
    (
      await stack.db
        .selectFrom('inbound_emails')
        .select('id')
        .where('org_id', '=', stack.org.id)
        .where('processed_at', 'is', null)
        .execute()
    ).length;
  const countSessions = async () =>
    (await stack.db.selectFrom('sessions').select('id').where('org_id', '=', stack.org.id).execute()).length;
  const messagesOfSessions = () =>
    stack.db
      .selectFrom('inbound_messages as message')
      .innerJoin('session_events as event', (join) =>
        join.onRef('event.org_id', '=', 'message.org_id').onRef('event.id', '=', 'message.id'),
      )
      .select(['message.provider_id', 'message.from', 'message.thread', 'event.session_id'])
      .where('message.org_id', '=', stack.org.id)
      .execute();

  it(
    'are taken or refused with a reason, none is lost, and replies by their References find their session',
    async () => {
      const mails: CorpusFile[] = [...FILES.filter(isMail), ...(await generatedMails())];
      const answers = new Map<string, { status: number; id?: string; message?: string }>();
      await forEachConcurrently(mails, AT_ONCE, async ({ path, bytes }) => {
        const { status, body } = await give(bytes);
        answers.set(path, { status, id: body.id, message: body.message });
      });
      const failed = [...answers].filter(([, { status }]) => ![202, 422, 413].includes(status));
      expect(failed).toEqual([]);
      const refused = [...answers].filter(([, { status }]) => status !== 202);
      expect(refused.filter(([, { message }]) => !message)).toEqual([]);

      const rows = await rowsRead();
      const taken = new Set([...answers.values()].flatMap(({ id }) => id ?? []));
      expect(new Set(rows.map(({ id }) => id))).toEqual(taken);
      expect(rows.filter(({ result }) => result === null)).toEqual([]);
      const results = Object.groupBy(rows, ({ result }) => result ?? 'none');
      const counts = Object.entries(results).map(([result, of]) => `${result}: ${of?.length}`);
      process.stdout.write(`${mails.length} mails, ${taken.size} taken; ${counts.join(', ')}\n`);

      const all = await messagesOfSessions();
      const firsts = all.filter(({ provider_id }) => provider_id.startsWith('<'));
      process.stdout.write(`${all.length} messages in ${await countSessions()} sessions\n`);
      const known = new Set(all.map(({ provider_id }) => provider_id));
      const sessionOf = new Map(firsts.map(({ provider_id, session_id }) => [provider_id, session_id]));
      const before = await countSessions();
      // An inbox bounds the mails of a sender in an hour.
      await stack.db
        .updateTable('inbound_emails')
        .set({ received_at: sql`received_at - interval '2 hours'` })
        .where('org_id', '=', stack.org.id)
        .execute();
      expect(before).toBeGreaterThan(0);
      await forEachConcurrently(firsts, AT_ONCE, async ({ from, provider_id }) => {
        const reply = mailOf({ From: from, To: inbox, References: provider_id, Subject: 'Re: that' }, 'And now?');
        expect((await give(reply)).status).toBe(202);
      });
      await rowsRead();
      const replies = (await messagesOfSessions()).filter(({ provider_id }) => !known.has(provider_id));
      const answered = new Set(replies.flatMap(({ thread }) => thread ?? []));
      expect(firsts.filter(({ provider_id }) => !answered.has(provider_id))).toEqual([]);
      expect(replies.length).toBe(firsts.length);
      const astray = replies.filter(({ thread, session_id }) => sessionOf.get(thread?.at(-1) ?? '') !== session_id);
      expect(astray).toEqual([]);
      expect(await countSessions()).toBe(before);
    },
    600 * SECONDS,
  );
});

describe('the own words of labelled replies', () => {
  const numbersOf = (ranges: string | undefined): number[] =>
    (ranges?.split(',') ?? []).flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_line, nth) => first + nth);
    });

  function isRight({ bytes }: CorpusFile, { own, either }: Label): boolean {
    const text = bytes.toString();
    const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
    const kept: number[] = [];
    const filled = (line: string) => line !== '';
    const words = ownWordsOf(text)
      .split(/\r\n?|\n/)
      .map((line) => line.trim())
      .filter(filled);
    for (const [at, line] of lines.entries()) if (line !== '' && line === words[kept.length]) kept.push(at + 1);
    const mayBe = new Set(numbersOf(either));
    const mustBe = numbersOf(own).filter((number) => filled(lines[number - 1] ?? '') && !mayBe.has(number));
    return (
      kept.length === words.length &&
      mustBe.every((number) => kept.includes(number)) &&
      kept.every((number) => mustBe.includes(number) || mayBe.has(number))
    );
  }

  (FILES.length === 0 ? it.skip : it)('are told right in 95 of 100, in ten languages', () => {
    const labelled = FILES.flatMap((file) => {
      const label = LABELS[file.sha256];
      return label === undefined ? [] : [{ file, label }];
    });
    const wrong = labelled.filter(({ file, label }) => !isRight(file, label));
    process.stdout.write(
      `${labelled.length} labelled replies, wrong: ${wrong.map(({ file }) => file.path).join(', ') || 'none'}\n`,
    );
    expect(labelled.length).toBeGreaterThanOrEqual(100);
    expect(new Set(labelled.map(({ label }) => label.language)).size).toBeGreaterThanOrEqual(10);
    expect(wrong.length / labelled.length).toBeLessThanOrEqual(0.05);
  });
});
