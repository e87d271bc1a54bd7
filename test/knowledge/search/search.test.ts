import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { deleteUnusedWords } from '../../../src/knowledge/index/maintenance.service.ts';
import { indexItems, type KnowledgeItem, removeItems } from '../../../src/knowledge/index/service.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { newItem } from '../index/items.ts';

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

/** Indexes items as a crawl does. */
const index = (items: KnowledgeItem[], of = org) => inTransaction(api.db, (trx) => indexItems(trx, of.id, items));
const remove = (ids: string[], of = org) => inTransaction(api.db, (trx) => removeItems(trx, of.id, ids));
async function search(query: string, more: object = {}, of = org) {
  const { status, body } = await of.post('/training/search', { query, ...more });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.results;
}
const titles = async (query: string, more: object = {}, of = org): Promise<string[]> =>
  (await search(query, more, of)).map(({ title }: { title: string }) => title);
const write = (texts: Record<string, string>, language: string | null = 'en', of = org) =>
  index(
    Object.entries(texts).map(([title, markdown]) => newItem({ title, markdown, language })),
    of,
  );

describe('a search of the knowledge', () => {
  it('finds texts with any of the words: rare words and more words rank higher', async () => {
    await write({
      both: 'Refunds of gift cards take a week.',
      refunds: 'Refunds take five days.',
      returns: 'Returns and refunds are free.',
      none: 'We ship to Norway.',
    });
    expect(await titles('How long do refunds of gift cards take?')).toEqual(['both', 'refunds', 'returns']);
    expect(await titles('Norway refund')).toEqual(['none', 'refunds', 'both', 'returns']);
    expect(await titles('refund', { limit: 1 })).toHaveLength(1);
    expect(await titles('the of and')).toEqual([]);
    expect(await titles('giraffe')).toEqual([]);
  });

  it('counts words of headings three times', async () => {
    await write({
      text: 'We speak of shipping here and now.',
      headed: '## Shipping\n\nWe speak of this here and now.',
    });
    expect(await titles('shipping')).toEqual(['headed', 'text']);
  });

  it('finds similarly spelled words for an unknown word, with less weight', async () => {
    await write({ refund: 'A refund takes five days.', fund: 'We fund schools.', other: 'We ship to Norway.' });
    const [first] = await search('refundd', { explain: true });
    expect(first.title).toBe('refund');
    expect(first.score_parts.lexemes).toEqual([
      expect.objectContaining({ lexeme: 'refund', weight: expect.any(Number) }),
    ]);
    expect(first.score_parts.lexemes[0].weight).toBeLessThan(0.8);
    expect(await titles('zzzzzz')).toEqual([]);
    await remove([first.id]);
    expect(await titles('refundd')).not.toContain('refund');
  });

  it.each<[string | null, Record<string, string>, string, string[]]>([
    ['de', { a: 'Rückgaben sind kostenlos.', b: 'Wir liefern nach Österreich.' }, 'Ruckgabe', ['a']],
    ['fr', { a: 'Les remboursements prennent cinq jours.', b: 'Livraison gratuite.' }, 'remboursement', ['a']],
    ['ru', { a: 'Возврат занимает пять дней.', b: 'Доставка бесплатна.' }, 'возвраты', ['a']],
    ['ja', { a: '返金には五日かかります。', b: '送料は無料です。' }, '返金はいつですか', ['a']],
    ['ja', { a: 'クレジットカードが使えます。', b: '送料は無料です。' }, 'ｶｰﾄﾞ', ['a']],
    ['zh', { a: '退款需要五天。', b: '免费送货。' }, '如何退款', ['a']],
    ['ko', { a: '환불은 5일 걸립니다.', b: '무료 배송입니다.' }, '환불', ['a']],
    ['th', { a: 'การคืนเงินใช้เวลาห้าวัน', b: 'จัดส่งฟรี' }, 'คืนเงิน', ['a']],
    [
      null,
      {
        a: 'Die Rückgabe von Waren ist innerhalb von vierzehn Tagen möglich.',
        b: 'Wir liefern gerne nach Österreich und in die Schweiz.',
      },
      'Rückgaben',
      ['a'],
    ],
    [null, { a: 'xyzzy-9000', b: 'plugh' }, 'XYZZY', ['a']],
  ])('in the language %s finds %j by %j', async (language, texts, query, expected) => {
    await write(texts, language);
    expect((await titles(query)).slice(0, 1)).toEqual(expected);
  });

  it('covers all languages of the org at once', async () => {
    await write({ english: 'Refunds take five days.' }, 'en');
    await write({ german: 'Rückzahlungen dauern fünf Tage.' }, 'de');
    await write({ japanese: '返金には五日かかります。' }, 'ja');
    expect((await titles('refund Rückzahlung 返金')).sort()).toEqual(['english', 'german', 'japanese']);
  });

  it('neither finds nor counts the knowledge of another org', async () => {
    const secret = newItem({ title: 'secret', markdown: 'Our secret is xylophone.' });
    await index([secret], api.other);
    expect(await titles('xylophone')).toEqual([]);
    expect(await titles('xylofone')).toEqual([]);
    await write({ mine: 'A xylophone.' });
    const [mine, ...rest] = await search('xylophone', { explain: true });
    expect([mine.title, rest, mine.score_parts.lexemes[0].chunks]).toEqual(['mine', [], 1]);
    await index([{ ...secret, title: 'taken over', markdown: 'Nothing.' }]);
    await remove([secret.id]);
    expect(await titles('xylophone', {}, api.other)).toEqual(['secret']);
    await remove([secret.id], api.other);
  });
});

describe('the filters of a search', () => {
  it('apply before the best results are chosen', async () => {
    const text = { markdown: 'Refund' };
    await index([
      newItem({ ...text, title: 'web' }),
      newItem({
        ...text,
        title: 'training',
        sourceType: 'custom_training',
        source: 'custom_training',
        visibility: 'internal',
      }),
      newItem({ ...text, title: 'help', sourceType: 'help_center', source: 'help_center' }),
      newItem({ ...text, title: 'notion', sourceType: 'integration', source: 'notion', visibility: 'internal' }),
      newItem({ ...text, title: 'draft', isDraft: true }),
      newItem({ ...text, title: 'sms', channels: ['sms'] }),
    ]);
    const sorted = async (more: object) => (await titles('refund', more)).sort();
    expect(await sorted({})).toEqual(['help', 'notion', 'sms', 'training', 'web']);
    expect(await sorted({ visibility: ['internal'] })).toEqual(['notion', 'training']);
    expect(await sorted({ visibility: [] })).toHaveLength(5);
    expect(await sorted({ sourceTypes: ['help_center', 'integration'] })).toEqual(['help', 'notion']);
    expect(await sorted({ sourceTypes: ['integration'] })).toEqual(['notion']);
    expect(await sorted({ dataSources: ['notion', 'website'], channel: 'web' })).toEqual(['notion', 'web']);
    expect(await sorted({ sourceTypes: ['website'], visibility: ['internal'] })).toEqual([]);
    for (const source of ['notion', 'custom_training'])
      expect(await titles('refund', { dataSources: [source], limit: 1 })).toHaveLength(1);
  });

  it('refuse sources that the org does not have, with those that it has', async () => {
    await write({ a: 'Refund' });
    const refusal = async (more: object) => {
      const { status, body } = await org.post('/training/search', { query: 'refund', ...more });
      return [status, body.issues];
    };
    const message =
      'no source has this name: the sources are ai_instructions, custom_training, website, help_center, api_reference';
    expect(await refusal({ dataSources: ['website', 'notion'] })).toEqual([
      400,
      [{ path: 'body.dataSources.1', message }],
    ]);
    const none = 'no integration brings knowledge: the types with knowledge are custom_training, help_center, website';
    expect(await refusal({ sourceTypes: ['integration'] })).toEqual([
      400,
      [{ path: 'body.sourceTypes', message: none }],
    ]);
    expect(await titles('refund', { sourceTypes: ['integration', 'website'] })).toEqual(['a']);
    await index([newItem({ markdown: 'Refund', title: 'tool', sourceType: 'integration', source: 'zendesk' })]);
    expect(await titles('refund', { sourceTypes: ['integration'] })).toEqual(['tool']);
    expect(await titles('refund', { dataSources: ['zendesk'] })).toEqual(['tool']);
    expect(await refusal({ dataSources: ['notion'] })).toEqual([
      400,
      [{ path: 'body.dataSources.0', message: `${message}, zendesk` }],
    ]);
  });

  it.each([
    { query: 'x' },
    { query: 'x'.repeat(501) },
    { query: '   ' },
    { query: 'a\0b' },
    { query: '\ud800x' },
    { query: 7 },
    {},
    { limit: 0 },
    { limit: 51 },
    { limit: '5' },
    { visibility: ['secret'] },
    { sourceTypes: ['x'] },
    { dataSources: [''] },
    { channel: 'fax' },
    { segments: ['x'] },
  ])('are a 400 with the name of the field for bad input: %j', async (input) => {
    const body = 'query' in input || Object.keys(input).length === 0 ? input : { query: 'refund', ...input };
    const answer = await org.post('/training/search', body);
    expect([answer.status, answer.body.issues[0].path.split('.')[1]]).toEqual([400, Object.keys(input)[0] ?? 'query']);
  });

  it.each(["'; drop table orgs; --", '& | ! ( ) :*', '%%%', '\\\\', '😀😀', '""', '<->', 'ﷺﷺ', '٣٤'])(
    'accept the odd query %j',
    async (query) => {
      await write({ a: 'Text' });
      expect(await titles(query)).toEqual([]);
    },
  );
});

describe('the citations of a search', () => {
  it('give the literal position of each passage in its item', async () => {
    const filler = Array.from({ length: 60 }, () => 'Some other words of no use.').join(' ');
    const markdown = `# Guide\n\n${filler}\n\n## Refunds\n\nA refund takes five days. It is free.\n\n- One list item\n\n${filler}`;
    const item = newItem({ title: 'Shop', markdown, url: 'https://shop.example/guide' });
    await index([item]);
    const [best] = await search('How long does a refund take?');
    const { citation } = best;
    expect(best).toMatchObject({ id: item.id, title: 'Shop', url: item.url, source: 'website', visibility: 'public' });
    expect(citation).toMatchObject({
      item_id: item.id,
      url: item.url,
      heading: 'Refunds',
      path: ['Shop', 'Guide', 'Refunds'],
      chunk: expect.any(Number),
      hash: createHash('sha256').update(best.content).digest('hex'),
    });
    expect(markdown.slice(citation.start, citation.end)).toBe(best.content);
    expect(citation.quote.text).toBe('A refund takes five days.');
    expect(markdown.slice(citation.quote.start, citation.quote.end)).toBe(citation.quote.text);
  });

  it('include on request the parts of the score, with the score as their sum', async () => {
    await write({ a: 'Refunds of gift cards.', b: 'Gift cards, and gift wrap for gifts.', c: 'Cards' });
    const results = await search('refund of gift cards', { explain: true });
    expect(results).toHaveLength(3);
    for (const { score, score_parts } of results) {
      const sum = score_parts.lexemes.reduce((all: number, part: { score: number }) => all + part.score, 0);
      expect(score_parts).toMatchObject({ words: sum, similarity: null });
      expect(score).toBeCloseTo(sum, 9);
    }
    const gift = results.find(({ title }: { title: string }) => title === 'b').score_parts.lexemes[0];
    expect(gift).toMatchObject({ lexeme: 'gift', weight: 1, chunks: 2, frequency: 3 });
    expect((await search('gift'))[0]).not.toHaveProperty('score_parts');
  });
});

describe('the search index', () => {
  const chunkIds = async (of = org) =>
    (
      await sql<{ id: number; xmin: string }>`
        select id, xmin::text from knowledge_chunks where org_id = ${of.id} order by item_id, position
      `.execute(api.db)
    ).rows;
  const section = (name: string, word: string) =>
    `## ${name}\n\n${Array.from({ length: 110 }, () => word).join(' ')}.\n\n`;

  it('writes only changed chunks again', async () => {
    const [one, two, three] = [section('One', 'alpha'), section('Two', 'beta'), section('Three', 'gamma')];
    const item = newItem({ markdown: one + two + three });
    await index([item]);
    const before = await chunkIds();
    await index([item]);
    expect(await chunkIds()).toEqual(before);
    await index([{ ...item, markdown: one + section('Two', 'delta') + three }]);
    const after = await chunkIds();
    expect(after.map((chunk, nth) => chunk.id === before[nth]?.id)).toEqual([true, false, true]);
    expect([await titles('beta'), await titles('delta'), await titles('gamma')]).toEqual([[], ['Page'], ['Page']]);

    const start = section('Start', 'omega');
    await index([{ ...item, markdown: start + one + three + two }]);
    const [found] = await search('gamma');
    expect(found.citation).toMatchObject({ chunk: 2, start: start.length + one.length });
    expect((await chunkIds()).map(({ id }) => id)).toEqual(expect.arrayContaining([before[0]?.id, before[2]?.id]));
    await remove([item.id]);
    expect(await chunkIds()).toEqual([]);
  });

  it('is updated when language, title or visibility change', async () => {
    const item = newItem({ title: 'Alpha', markdown: 'Houses', language: null, visibility: 'internal' });
    await index([item]);
    await index([{ ...item, title: 'Beta', language: 'en', visibility: 'public' }]);
    expect(await titles('house', { visibility: ['public'] })).toEqual(['Beta']);
    expect(await titles('alpha')).toEqual([]);
  });

  it('accepts any text, however long or odd', async () => {
    const odd = ['', ' ', 'a\0b', '\ud800 lone', '```', 'x'.repeat(100_000), `| ${'a '.repeat(100_000)}|`, '😀'];
    await index(
      odd.map((markdown, nth) => newItem({ markdown, title: `${nth}\0`, language: nth % 2 === 0 ? 'en' : null })),
    );
    await index([
      newItem({ title: 'long', markdown: Array.from({ length: 30_000 }, (_, nth) => `word${nth}`).join(' ') }),
    ]);
    expect(await titles('word29999')).toEqual(['long']);
    expect(await titles('lone')).toEqual(['3\ufffd']);
  });

  /** Compares all counts stored in the index with the chunks themselves. */
  async function assertExact(of = org): Promise<number> {
    const { rows } = await sql<{ wrong: number; chunks: number }>`
      with held as (
        select chunk.id, lexeme, length from knowledge_chunks as chunk, unnest(lexemes) as lexeme where org_id = ${of.id}
      ), posting as (
        select lexeme, segment + (hit >> 33) as chunk_id, ((hit >> 16) & 131071)::int as length
        from knowledge_postings left join unnest(hits) as hit on true where org_id = ${of.id}
      ), differing as (
        (select id, lexeme, length from held except all select chunk_id, lexeme, length from posting)
        union all
        (select chunk_id, lexeme, length from posting except all select id, lexeme, length from held)
      ), miscounted as (
        select id from knowledge_items as item where org_id = ${of.id} and not (chunks, words, chunk_ids) = (
          select count(*)::int, coalesce(sum(length), 0)::int, coalesce(array_agg(chunk.id order by position), '{}') from knowledge_chunks as chunk
          where chunk.org_id = ${of.id} and chunk.item_id = item.id
        )
      ), unlearnt as (
        select lexeme from held where lexeme ~ '^[a-z]+$' and not exists (
          select from knowledge_words where org_id = ${of.id} and word = held.lexeme collate "C"
        )
      )
      select (select count(*) from differing)::int + (select count(*) from miscounted)::int + (select count(*) from unlearnt)::int as wrong,
        (select count(*) from knowledge_chunks where org_id = ${of.id})::int as chunks
    `.execute(api.db);
    expect(rows[0]?.wrong).toBe(0);
    return rows[0]?.chunks ?? 0;
  }

  it('stores words for spelling corrections, but neither numbers nor letters of scripts without spaces', async () => {
    await index([newItem({ markdown: 'The teapot of 東京都 has 4711 holes, ไทย says so in Tokyo東京.' })]);
    const { rows } = await sql<{ word: string }>`select word from knowledge_words where org_id = ${org.id}`.execute(
      api.db,
    );
    const words = rows.map(({ word }) => word);
    expect(words).toEqual(expect.arrayContaining(['teapot', 'hole', 'tokyo']));
    expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  });

  const wordsOf = async (of = org) => {
    const rows = await api.db.selectFrom('knowledge_words').select('word').where('org_id', '=', of.id).execute();
    return rows.map(({ word }) => word).toSorted();
  };
  const deleteAllUnusedWords = async () => {
    while ((await deleteUnusedWords(api.db)) > 0);
  };
  const daysPass = (of = org) =>
    sql`update knowledge_vocabularies set checked_at = now() - interval '2 days' where org_id = ${of.id}`.execute(
      api.db,
    );

  it('forgets the words that no text has any more, and learns them again with a new text', async () => {
    const teapot = newItem({ markdown: 'teapot kettle', title: 'kettle' });
    await index([teapot, newItem({ markdown: 'kettle', title: 'kettle' })]);
    await deleteAllUnusedWords();
    expect(await wordsOf()).toEqual(['kettl', 'teapot']);
    await remove([teapot.id]);
    await deleteAllUnusedWords();
    expect(await wordsOf()).toEqual(['kettl', 'teapot']); // it looks once a day
    await daysPass();
    await deleteAllUnusedWords();
    expect(await wordsOf()).toEqual(['kettl']);
    await index([teapot]);
    expect(await wordsOf()).toEqual(['kettl', 'teapot']);
    expect(await titles('teapott')).toEqual(['kettle']);
    await assertExact();
  });

  it('deletes thousands of unused words in steps, and none that a concurrent write needs', async () => {
    const letters = 'abcdefghijklmnop';
    const word = (nth: number) =>
      `w${[...nth.toString(16)].map((digit) => letters[Number.parseInt(digit, 16)]).join('')}`;
    const long = newItem({ markdown: Array.from({ length: 4_500 }, (_, nth) => word(nth)).join(' '), language: 'en' });
    await index([long]);
    await remove([long.id]);
    await index([newItem({ markdown: word(4_499), title: 'kept', language: 'en' })]);
    const writing = async (turn: number) => {
      const item = newItem({ markdown: Array.from({ length: 50 }, (_, nth) => word(nth * turn)).join(' ') });
      await index([item]);
      if (turn % 2 === 0) await remove([item.id]);
    };
    let isWritten = false;
    const cleaning = (async () => {
      while (!isWritten) {
        await daysPass();
        await deleteUnusedWords(api.db);
      }
    })();
    for (let turn = 1; turn <= 20; turn++) await writing(turn);
    isWritten = true;
    await cleaning;
    await deleteAllUnusedWords();
    await daysPass();
    await deleteAllUnusedWords();
    await assertExact();
    const left = await wordsOf();
    expect(left).toContain(word(4_499));
    expect(left.length).toBeLessThan(600);
  });

  it('stays exact under concurrent writes, even of the same items', async () => {
    const words = ['alpha', 'beta', 'gamma', 'delta', 'omega'];
    const ids = Array.from({ length: 12 }, newId);
    const text = (turn: number) =>
      words.map((word, nth) => section(`${word} ${turn}`, words[(nth * turn) % 5] ?? word)).join('');
    const writer = async (turn: number) => {
      for (let round = 0; round < 6; round++) {
        const some = ids.filter((_, nth) => (nth + turn + round) % 3 !== 0);
        if ((turn + round) % 4 === 0) await remove(some.slice(0, 3));
        else await index(some.map((id) => newItem({ id, title: `turn ${turn}`, markdown: text(turn + round) })));
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(writer));
    await index(ids.map((id) => newItem({ id, markdown: text(1) })));
    const chunks = await assertExact();
    expect(chunks).toBe(12 * 5);
    const [best] = await search('alpha', { explain: true });
    expect(best.score_parts.lexemes[0]).toMatchObject({ lexeme: 'alpha', chunks: 12 });
    await remove(ids);
    expect(await assertExact()).toBe(0);
  });

  it('is unchanged when a transaction fails', async () => {
    const item = newItem({ markdown: 'alpha' });
    await index([item]);
    const failed = inTransaction(api.db, async (trx) => {
      await indexItems(trx, org.id, [{ ...item, markdown: 'beta' }]);
      throw new Error('fails');
    });
    await expect(failed).rejects.toThrow('fails');
    expect([await titles('alpha'), await titles('beta')]).toEqual([['Page'], []]);
    expect(await assertExact()).toBe(1);
  });
});
