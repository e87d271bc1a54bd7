import { readdir } from 'node:fs/promises';
import http from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';
import { EXECUTABLE, formWith, PNG, pngOf, rawForm, SAMPLES } from './samples.ts';

const MAX_BYTES = 5 * 1024 ** 2;
const SPOOL = /^switchboard-.+-\d+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const upload = (content: Uint8Array, fileName: string, headers: Record<string, string> = {}) =>
  api.org.post('/media', formWith(content, fileName), { headers });
const download = (fileUrl: string, headers: Record<string, string> = {}) => fetch(fileUrl, { headers });
const countFiles = async () => (await api.db.selectFrom('media').select('id').execute()).length;
const spoolFiles = async () => (await readdir(tmpdir())).filter((name) => SPOOL.test(name));

describe('POST /media', () => {
  it.each(SAMPLES)('accepts %s and returns its bytes again', async (fileName, content, mime) => {
    const { status, body } = await upload(content, fileName);
    expect(body).toEqual({
      id: expect.any(String),
      fileName,
      fileUrl: expect.stringMatching(new RegExp(`^${api.url}/media/[\\w-]{60,}$`)),
      mime_type: mime,
      size: content.length,
    });
    expect(status).toBe(201);

    const answer = await download(body.fileUrl);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="${fileName}"; filename*=UTF-8''${fileName}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, max-age=3600',
    });
  });

  it('accepts exactly 5 MB, and answers 413 for one byte more', async () => {
    const { status, body } = await upload(pngOf(MAX_BYTES), 'large.png');
    expect([status, body.size]).toEqual([201, MAX_BYTES]);
    expect((await (await download(body.fileUrl)).arrayBuffer()).byteLength).toBe(MAX_BYTES);

    const before = await countFiles();
    const tooLarge = await upload(pngOf(MAX_BYTES + 1), 'large.png');
    expect(tooLarge).toMatchObject({ status: 413, body: { statusCode: 413, message: expect.stringMatching(/5 MB/) } });
    expect((await upload(pngOf(20 * 1024 ** 2), 'huge.png')).status).toBe(413);
    expect(await countFiles()).toBe(before);
  });

  it('keeps the connection usable after a refusal in the middle of a body', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const { body, type } = rawForm(pngOf(20 * 1024 ** 2), 'name="file"; filename="a.png"');
    const send = (method: string, path: string, content?: Buffer) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${api.org.key}`, ...(content && { 'content-type': type }) };
        const request = http.request(api.url + path, { method, agent, headers }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode));
        });
        request.on('error', reject);
        request.end(content);
      });
    const statuses = [
      await send('POST', '/media', body),
      await send('GET', '/org'),
      await send('POST', '/media', body),
    ];
    expect(statuses).toEqual([413, 200, 413]);
    agent.destroy();
  });

  it.each([
    ['no body', undefined, {}],
    ['null', 'null', {}],
    ['JSON', '{"file":"text"}', {}],
    ['no multipart body', '', { 'content-type': 'multipart/form-data; boundary=xx' }],
    ['no boundary', 'text', { 'content-type': 'multipart/form-data' }],
    [
      'half a part',
      '--xx\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nhal',
      { 'content-type': 'multipart/form-data; boundary=xx' },
    ],
    ['half a head', '--xx\r\nContent-Dispo', { 'content-type': 'multipart/form-data; boundary=xx' }],
    ['text for a form', 'no form at all', { 'content-type': 'multipart/form-data; boundary=xx' }],
    [
      'a field',
      '--xx\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--xx--',
      { 'content-type': 'multipart/form-data; boundary=xx' },
    ],
    [
      'a prototype',
      '--xx\r\nContent-Disposition: form-data; name="__proto__"; filename="a"\r\n\r\ntext\r\n--xx--',
      { 'content-type': 'multipart/form-data; boundary=xx' },
    ],
  ])('answers 400 for %s', async (_, body, headers) => {
    const answer = await api.org.post('/media', body, { headers: headers as Record<string, string> });
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, message: expect.any(String) } });
  });

  it.each([undefined, 'null'])('says what is missing if the body is %s', async (body) => {
    const answer = await api.org.post('/media', body);
    const message = 'is missing: send it as multipart/form-data, in the field "file"';
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'body.file', message }] } });
  });

  it('answers 400 for a file in another field, a second file and an empty one', async () => {
    const two = formWith(PNG, 'a.png');
    two.append('file', new File([Buffer.from(PNG)], 'b.png'));
    for (const form of [formWith(PNG, 'a.png', { field: 'upload' }), two, formWith(Buffer.alloc(0), 'a.png')]) {
      const { status, body } = await api.org.post('/media', form);
      expect(status).toBe(400);
      expect(body.issues).toEqual([{ path: 'body.file', message: expect.any(String) }]);
    }
  });

  it('answers 400 for a form with too many fields', async () => {
    const form = new FormData();
    for (let field = 0; field < 200; field++) form.append(`field${field}`, 'x');
    form.append('file', new File([Buffer.from(PNG)], 'a.png'));
    const { status, body } = await api.org.post('/media', form);
    expect([status, body.message]).toEqual([400, expect.stringMatching(/fields/)]);
  });

  it('ignores other fields', async () => {
    const form = new FormData();
    form.append('before', 'x');
    form.append('file', new File([Buffer.from(PNG)], 'a.png'));
    form.append('after', 'x');
    expect((await api.org.post('/media', form)).status).toBe(201);
  });

  it('repeats the first response for the same Idempotency-Key, name and bytes, and answers 422 to others', async () => {
    const key = { 'idempotency-key': 'same' };
    const first = await upload(PNG, 'a.png', key);
    const before = await countFiles();
    const again = await upload(PNG, 'a.png', key);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await upload(pngOf(101), 'a.png', key)).status).toBe(422);
    expect((await upload(PNG, 'b.png', key)).status).toBe(422);
    expect(await countFiles()).toBe(before);
    expect((await upload(EXECUTABLE, 'a.png', { 'idempotency-key': 'other' })).status).toBe(415);
  });

  it('stores nothing of an interrupted upload', async () => {
    const before = await countFiles();
    const { hostname, port } = new URL(api.url);
    const { body, type } = rawForm(pngOf(1_000_000), 'name="file"; filename="a.png"');
    for (const sent of [0, 50, 200, 70_000, 900_000]) {
      const socket = connect(Number(port), hostname);
      const head = `POST /media HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.org.key}\r\nContent-Type: ${type}\r\n`;
      socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`);
      await new Promise((resolve) => socket.write(body.subarray(0, sent), resolve));
      socket.destroy();
    }
    expect((await upload(PNG, 'a.png')).status).toBe(201);
    expect(await countFiles()).toBe(before + 1);
  });

  it('leaves no temporary file, whatever the result of the request', async () => {
    const before = await spoolFiles();
    await upload(PNG, 'a.png');
    await upload(EXECUTABLE, 'a.png');
    await upload(pngOf(MAX_BYTES + 1), 'large.png');
    const made = (await spoolFiles()).filter((name) => !before.includes(name)); // files of concurrent tests disappear too
    await eventually('no file of now', async () => !(await spoolFiles()).some((name) => made.includes(name)));
  });

  it('answers 503 with the name of the setting if no storage is set', async () => {
    const bare = await startApi({ env: { STORAGE_URL: '' } });
    const { status, body } = await bare.org.post('/media', formWith(PNG, 'a.png'));
    await bare.close();
    expect(status).toBe(503);
    expect(body.message).toMatch(/STORAGE_URL/);
  });
});
