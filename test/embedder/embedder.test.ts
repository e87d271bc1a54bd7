import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ComparedPassage, createEmbedder, type Embedder } from '../../src/embedder/embedder.ts';
import { fetchModel } from '../../src/embedder/fetch-model.ts';
import { modelFilesIn } from '../../src/embedder/model-folder.ts';
import { modelFiles } from '../support/model.ts';
import { eventually } from '../support/stack/stack.ts';

const PASSWORD = 'Open the account page, choose Security, and enter a new password.';
const REFUNDS = 'Refunds arrive within five working days on the card that was charged.';
const never = new AbortController().signal;

let embedder: Embedder;
beforeAll(async () => {
  await modelFiles();
  embedder = createEmbedder({ warn: () => undefined });
});
afterAll(() => embedder.close());

const cosine = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
  a.reduce((sum, value, nth) => sum + value * (b[nth] ?? 0), 0);
const queryOf = (text: string) => embedder.embedQuery(text, never);
const compare = (question: string, ...passages: (ComparedPassage | undefined)[]) =>
  embedder.comparePassages(
    question,
    passages.flatMap((passage) => passage ?? []),
    never,
  );
const passagesOf = (...texts: string[]) => embedder.embedPassages(texts, never);

/** The processes of this one's model. */
const processesOf = () =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('embedder/process.ts'))
    .map((line) => Number.parseInt(line, 10));

describe('the embedding model', () => {
  it('gives vectors of length 1, and the known ones of its reference implementation', async () => {
    const vector = await queryOf('How do I change my password?');
    expect(vector).toHaveLength(384);
    expect(cosine(vector, vector)).toBeCloseTo(1, 4);
    const reference = [0.06579, -0.03801, -0.03114, -0.06128, 0.02997, -0.05758, 0.01022, 0.03855];
    for (const [nth, value] of reference.entries()) expect(vector?.[nth]).toBeCloseTo(value, 2);
  });

  it.each([
    ['How do I change my password?', 'en'],
    ['Wie ändere ich mein Passwort?', 'de'],
    ['¿Cómo cambio mi contraseña?', 'es'],
    ['Jak zmienić hasło?', 'pl'],
    ['パスワードを変更するには', 'ja'],
    ['كيف أغير كلمة المرور؟', 'ar'],
  ])('finds the passage that answers %j (%s)', async (question) => {
    const [asked, [password, refunds]] = await Promise.all([queryOf(question), passagesOf(PASSWORD, REFUNDS)]);
    expect(cosine(asked, password)).toBeGreaterThan(cosine(asked, refunds) + 0.05);
  });

  it('gives a text the same vector beside any others', async () => {
    const [alone] = await passagesOf(PASSWORD);
    const [, beside] = await passagesOf(REFUNDS.repeat(20), PASSWORD, 'x');
    expect(beside).toEqual(alone);
  });

  it('reads the beginning of a text longer than its limit', async () => {
    const [long, longer] = await passagesOf(REFUNDS.repeat(40), REFUNDS.repeat(44));
    expect(longer).toEqual(long);
  });

  it('gives no vector to a question whose characters it does not know', async () => {
    expect(await queryOf('𐎀𐎁𐎂 𐎃𐎄𐎅 𐎆𐎇')).toBeUndefined();
  });

  it.each([
    ['Does it run in Firefox?', 'Do you have an iPhone app?'],
    ['Läuft es in Firefox?', 'Habt ihr eine App für das iPhone?'],
  ])('finds counterparts in a passage for the words of %j, and not for those of %j', async (answered, related) => {
    const browsers = {
      title: 'Browsers',
      heading: 'Browsers',
      content: 'Chrome, Firefox and Safari are supported.',
      sentences: ['Chrome, Firefox and Safari are supported.'],
    };
    const [[close], [far]] = await Promise.all([compare(answered, browsers), compare(related, browsers)]);
    expect(close?.words).toBeGreaterThan((far?.words ?? 1) + 0.04);
  });

  it('finds a question and a passage as close as before, beside any others, and whatever was asked in between', async () => {
    const [refunds, password] = [REFUNDS, PASSWORD].map((text) => ({
      title: 'x',
      heading: 'x',
      content: text,
      sentences: [text],
    }));
    const question = 'When do refunds arrive?';
    const [alone] = await compare(question, refunds);
    await compare('How do I change my password?', password, refunds);
    const [, beside] = await compare(question, password, refunds);
    expect(beside).toEqual(alone);
    expect((await compare('?!', refunds))[0]?.words).toBe(-1);
  });

  it.each([
    ['Where do I find the wifi password?', 'Is breakfast included?'],
    ['Wo finde ich das WLAN-Passwort?', 'Ist das Frühstück inklusive?'],
    ['¿Dónde encuentro la contraseña del wifi?', '¿El desayuno está incluido?'],
    ['Gdzie znajdę hasło do wifi?', 'Czy śniadanie jest w cenie?'],
  ])('reads that a passage answers %j, and that it does not answer %j', async (answered, other) => {
    const wifi = {
      title: 'Wi-Fi',
      heading: 'Wi-Fi',
      content: 'Our network is called Birch. Its password is on your key card, below the number of your room.',
      sentences: ['Our network is called Birch.', 'Its password is on your key card, below the number of your room.'],
    };
    const [[answer], [mention]] = await Promise.all([compare(answered, wifi), compare(other, wifi)]);
    expect(answer?.reading).toBeGreaterThan(0);
    expect(mention?.reading).toBeLessThan(0);
  });

  it('reads the beginning of a passage and of a question that are longer than their limits', async () => {
    const readingOf = async (question: string, content: string): Promise<number> => {
      const [closeness] = await compare(question, { title: 'x', heading: 'x', content, sentences: [] });
      return closeness?.reading ?? Number.NaN;
    };
    const [question, long] = ['When do refunds arrive?', REFUNDS.repeat(40)];
    const whole = await readingOf(question, long);
    expect(whole).not.toBeNaN();
    expect(await readingOf(question, long + PASSWORD)).toBe(whole);
    expect(await readingOf(question, PASSWORD + long)).not.toBe(whole);
    const longQuestion = question.repeat(40);
    const asked = await readingOf(longQuestion, REFUNDS);
    expect(await readingOf(longQuestion + PASSWORD, REFUNDS)).toBe(asked);
    expect(await readingOf(PASSWORD + longQuestion, REFUNDS)).not.toBe(asked);
  });

  it('gives up a comparison that is canceled', async () => {
    const many = Array.from({ length: 50 }, (_, nth) => ({
      title: `${nth}`,
      heading: '',
      content: REFUNDS,
      sentences: [REFUNDS],
    }));
    const canceling = new AbortController();
    const comparison = embedder.comparePassages('When do refunds arrive?', many, canceling.signal);
    canceling.abort();
    await expect(comparison).rejects.toThrow('too long or was canceled');
  });

  it('runs in a process that has none of the secrets of ours', async () => {
    process.env.JWT_SECRET = 'a secret of the worker';
    const own = createEmbedder({ warn: () => undefined });
    const before = new Set(processesOf());
    await own.embedQuery('How do I change my password?', never);
    const started = processesOf().filter((id) => !before.has(id));
    expect(started).toHaveLength(1);
    const environments = started.map((id) => readFileSync(`/proc/${id}/environ`, 'utf8'));
    own.close();
    delete process.env.JWT_SECRET;
    expect(environments.join()).toContain('PATH=');
    expect(environments.join()).not.toContain('a secret of the worker');
  });

  it('answers a question while passages are computed', async () => {
    let isDone = false;
    const many = passagesOf(...Array.from({ length: 20 }, () => REFUNDS.repeat(4))).then(() => {
      isDone = true;
    });
    await queryOf('How do I change my password?');
    expect(isDone).toBe(false);
    await many;
  });

  it('gives up when it is canceled, and the next text does not wait for the rest', async () => {
    const canceling = new AbortController();
    const many = embedder.embedPassages(
      Array.from({ length: 200 }, () => REFUNDS.repeat(8)),
      canceling.signal,
    );
    canceling.abort();
    await expect(many).rejects.toThrow('too long or was canceled');
    const started = performance.now();
    await passagesOf('x');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('starts its process again after a kill, which fails only the texts under way', async () => {
    const many = passagesOf(...Array.from({ length: 40 }, () => REFUNDS.repeat(4)));
    await eventually('the processes', () => processesOf().length >= 1);
    for (const pid of processesOf()) process.kill(pid, 'SIGKILL');
    await expect(many).rejects.toThrow('The process ended');
    expect(await passagesOf(PASSWORD)).toHaveLength(1);
  });
});

describe('the files of the embedding model', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'models-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are refused if the archive is another one, and nothing is left', async () => {
    const archive = join(folder, 'other.tar.gz');
    await writeFile(archive, 'something else');
    await expect(fetchModel(join(folder, 'models'), archive)).rejects.toThrow('SHA-256');
    expect(await readdir(join(folder, 'models'))).toEqual([]);
    expect(createEmbedder({ warn: () => undefined }, join(folder, 'models')).isAvailable()).toBe(false);
  });

  it('are in a folder with another number for each adapter of the reader', async () => {
    const adapter = await readFile(new URL('../../src/embedder/reading-adapter.safetensors', import.meta.url));
    const known = ['q4-3', '1d6e0d1546ae'];
    expect([modelFilesIn('').folder.slice(-4), hash('sha256', adapter).slice(0, 12)]).toEqual(known);
  });

  it('are read again by the next question after a read that failed', async () => {
    const given = await modelFiles();
    const files = modelFilesIn(folder);
    await mkdir(files.folder);
    for (const name of ['header', 'graph', 'weights'] as const) await link(given[name], files[name]);
    await writeFile(files.reader, 'not yet whole');
    const own = createEmbedder({ warn: () => undefined }, folder);
    const ask = () =>
      own.comparePassages(
        'When do refunds arrive?',
        [{ title: 'x', heading: 'x', content: REFUNDS, sentences: [REFUNDS] }],
        never,
      );
    await expect(ask()).rejects.toThrow('reader.onnx');
    await rm(files.reader);
    await link(given.reader, files.reader);
    expect(await ask()).toHaveLength(1);
    own.close();
  });
});
