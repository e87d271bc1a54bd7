import { createRenderer, type LoadedResource, type ScriptedPage } from '../../../src/crawl/rendering/renderer.ts';
import { CAN_SANDBOX, CHROMIUM } from '../../support/chromium.ts';

const NO_LOG = { warn: (problem: unknown) => expect(problem).toBeUndefined() };
const MEGABYTE = 1024 * 1024;
const ok = (body: string): LoadedResource => ({ status: 200, headers: {}, bytes: Buffer.from(body) });

const pageOf = (script: string, more: Partial<ScriptedPage> = {}): ScriptedPage => ({
  url: 'https://shop.example/',
  bytes: Buffer.from(`<!doctype html><title>Shop</title><body><div id="root"></div><script>${script}</script>`),
  contentType: 'text/html',
  userAgent: 'SwitchboardBot',
  load: async () => undefined,
  ...more,
});

(CHROMIUM ? describe : describe.skip)('the renderer', () => {
  const renderer = createRenderer({ path: CHROMIUM, isSandboxed: CAN_SANDBOX, maxPageMs: 2_000 }, NO_LOG);
  afterAll(() => renderer?.close());
  const render = async (page: ScriptedPage) => {
    const rendered = await renderer?.render(page);
    return rendered !== undefined && 'html' in rendered ? rendered.html.toString() : rendered?.problem;
  };

  it('ends scripts that never end, and renders the next page', async () => {
    expect(await render(pageOf('for (;;);'))).toBe('Its scripts took too long');
    expect(await render(pageOf('document.getElementById("root").textContent = "Here"'))).toContain('>Here</div>');
  });

  it('answers a bounded number of requests, and bytes, of a page', async () => {
    const asked: number[] = [];
    const load = async (_: string, maxBytes: number) => {
      asked.push(maxBytes);
      return ok('x'.repeat(10_000));
    };
    const script = 'for (let n = 0; n < 300; n++) fetch("/data/" + n).catch(() => 0)';
    await render(pageOf(script, { load }));
    expect(asked).toHaveLength(100);

    const rooms: number[] = [];
    await render(
      pageOf('(async () => { for (let n = 0; n < 9; n++) await fetch("/large/" + n).catch(() => 0) })()', {
        async load(_, maxBytes) {
          rooms.push(maxBytes / MEGABYTE);
          return ok('x'.repeat(Math.min(maxBytes + 1, 9 * MEGABYTE)));
        },
      }),
    );
    expect(rooms.slice(0, 3)).toEqual([20, 11, 2]);
    expect(Math.min(...rooms)).toBe(2);
  });

  it('stays on the page, whatever its scripts want', async () => {
    const asked: string[] = [];
    const load = async (url: string) => {
      asked.push(url);
      return ok('<p>Another page</p>');
    };
    const script = `document.body.append(Object.assign(document.createElement('iframe'), { src: '/frame' }));
      document.getElementById('root').textContent = 'Here'; window.open('/popup'); location.href = '/away';`;
    expect(await render(pageOf(script, { load }))).toContain('>Here</div>');
    expect(asked).toEqual([]);
  });
});
