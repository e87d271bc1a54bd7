import { once } from 'node:events';
import http from 'node:http';
import { createMediaLinks } from '../../src/media/links.ts';
import { rangeOf } from '../../src/media/ranges.rules.ts';
import { type Media, storeMedia } from '../../src/media/service.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { pngOf } from './samples.ts';

const CONTENT = pngOf(1_000);
const DAY_MS = 86_400_000;

let api: TestApi;
let media: Media;
let link: string;
beforeAll(async () => {
  api = await startApi();
  media = await storeMedia(api.db, api.deps.storage, api.org.id, { content: [CONTENT], fileName: 'a.png' });
  link = api.deps.mediaLinks.linkOf(media);
});
afterAll(() => api.close());

const get = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await fetch(url, { method, headers });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
};
const errorOf = async (url: string) => {
  const { status, body } = await get(url);
  return { status, ...JSON.parse(body.toString()) };
};

describe('a link to a file', () => {
  it('a link to a file needs no key, and does not reveal the file’s owner or its storage', async () => {
    const { status, headers } = await get(link);
    expect(status).toBe(200);
    expect(JSON.stringify([...headers])).not.toMatch(new RegExp(api.org.id));
  });

  it('a link to a file is valid for at least seven and at most eight days, then 410', async () => {
    const { linkOf, read } = api.deps.mediaLinks;
    for (const made of ['2026-03-01T00:00:00Z', '2026-03-01T12:00:00Z', '2026-03-01T23:59:59Z'].map(
      (at) => new Date(at),
    )) {
      const token = linkOf(media, made).split('/').at(-1) as string;
      expect(read(token, new Date(made.getTime() + 7 * DAY_MS))?.isExpired).toBe(false);
      expect(read(token, new Date(made.getTime() + 8 * DAY_MS))?.isExpired).toBe(true);
    }
    const expired = linkOf(media, new Date(Date.now() - 9 * DAY_MS));
    expect(await errorOf(expired)).toMatchObject({
      status: 410,
      statusCode: 410,
      error: 'Gone',
      message: expect.stringMatching(/expired/),
    });
  });

  it('a link to a file is the same all day, so polling clients see no change', () => {
    const { linkOf } = api.deps.mediaLinks;
    const at = (time: string) => linkOf(media, new Date(`2026-03-01T${time}Z`));
    expect(at('00:00:00')).toBe(at('23:59:59'));
    expect(at('00:00:00')).not.toBe(linkOf(media, new Date('2026-03-02T00:00:00Z')));
  });

  it('a link to a file is 404 in any other form: each byte changed, truncated, extended, signed with another secret', async () => {
    const token = link.split('/').at(-1) as string;
    const bytes = Buffer.from(token, 'base64url');
    const changed = Array.from(bytes.keys(), (index) => {
      const copy = Buffer.from(bytes);
      copy[index] = (copy[index] as number) ^ 1;
      return copy.toString('base64url');
    });
    const foreign = createMediaLinks(['another secret of 32 characters and more'], api.url)
      .linkOf(media)
      .split('/')
      .at(-1) as string;
    const others = [
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      `${token}.`,
      token.toUpperCase(),
      'x',
      '%00',
      '..%2f..%2fetc',
      'x'.repeat(255),
    ];
    for (const wrong of [...changed, foreign, ...others]) {
      const { status, body } = await get(`${api.url}/media/${wrong}`);
      expect(`${wrong} ${status} ${JSON.parse(body.toString()).statusCode}`).toMatch(/ (404|400) \1$/);
    }
    expect(await errorOf(`${api.url}/media/${changed[0]}`)).toMatchObject({ status: 404, message: 'File not found' });
    expect((await get(link)).status).toBe(200);
  });

  it('a link to a file is 404 for a file its org does not have', async () => {
    const { linkOf } = api.deps.mediaLinks;
    expect((await get(linkOf({ org_id: api.other.id, id: media.id }))).status).toBe(404);
  });

  it('a link to a file answers HEAD with the same headers and no body', async () => {
    const [head, whole] = [await get(link, {}, 'HEAD'), await get(link)];
    expect(head.body.length).toBe(0);
    for (const name of ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges']) {
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    }
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=990-', 990, 999],
    ['bytes=990-99999', 990, 999],
    ['bytes=-10', 990, 999],
    ['bytes=-5000', 0, 999],
  ])('a link to a file answers 206 to the range %s', async (range, start, end) => {
    const { status, headers, body } = await get(link, { range });
    expect(status).toBe(206);
    expect(headers.get('content-range')).toBe(`bytes ${start}-${end}/1000`);
    expect(headers.get('content-length')).toBe(String(end - start + 1));
    expect(body.equals(CONTENT.subarray(start, end + 1))).toBe(true);
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    'a link to a file answers 416 to the range %s',
    async (range) => {
      const { status, headers, body } = await get(link, { range });
      expect([status, headers.get('content-range'), body.length]).toEqual([416, 'bytes */1000', 0]);
    },
  );

  it.each(['bytes=0-1,5-6', 'bytes=9-2', 'bytes=-', 'items=0-1', 'bytes=a-b', 'bytes 0-1'])(
    'a link to a file answers with the whole file to the range %s',
    async (range) => {
      const { status, body } = await get(link, { range });
      expect([status, body.length]).toEqual([200, 1_000]);
    },
  );

  it('a link to a file resumes a download only of the same file, and answers 304 to a known version', async () => {
    const etag = (await get(link)).headers.get('etag') as string;
    expect((await get(link, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await get(link, { range: 'bytes=0-1', 'if-range': '"another"' })).status).toBe(200);
    expect(await get(link, { 'if-none-match': etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });

  it('a link to a file survives clients that disconnect in the middle', async () => {
    const large = await storeMedia(api.db, api.deps.storage, api.org.id, {
      content: [pngOf(5 * 1024 ** 2)],
      fileName: 'l.png',
    });
    const url = api.deps.mediaLinks.linkOf(large);
    for (let time = 0; time < 20; time++) {
      const request = http.get(url, { agent: false });
      const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
      await once(answer, 'data');
      request.destroy();
    }
    expect((await get(link)).status).toBe(200);
  });
});

it('a range is always within the file', () => {
  for (const size of [1, 2, 10]) {
    for (let first = 0; first < 12; first++) {
      for (const last of ['', ...Array.from({ length: 12 }, (_, index) => String(index))]) {
        for (const header of [`bytes=${first}-${last}`, `bytes=-${last}`]) {
          const range = rangeOf(header, size);
          if (typeof range === 'string') continue;
          expect([range.start >= 0, range.end < size, range.start <= range.end]).toEqual([true, true, true]);
        }
      }
    }
  }
});
