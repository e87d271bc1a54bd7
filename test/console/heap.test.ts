import { CHROMIUM } from '../support/chromium.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const SESSIONS = 200;
const WARM_UP = 500;
/** As many as a busy desk has in eight hours: nine a minute. */
const EVENTS = 4_320;
const AT_ONCE = 8;
const MAX_GROWTH_BYTES = 10_000_000;

(CHROMIUM ? describe : describe.skip)('a console that is open all day', () => {
  let api: TestApi;
  let inbox: TestConsole;
  beforeAll(async () => {
    api = await startApi();
    inbox = await startConsole(api, api.org);
  }, 120_000);
  afterAll(async () => {
    await inbox.close();
    await api.close();
  });

  it('has the same heap before and after the events of eight hours', async () => {
    const ids: string[] = [];
    for (let n = 0; n < SESSIONS; n++) ids.push(await inbox.conversation(`Number ${n}`));
    const { page, complaints } = await inbox.open('ann@acme.example', ids[0] ?? '');
    const events = async (count: number) => {
      let sent = 0;
      const sender = async () => {
        while (sent++ < count) await inbox.say(ids[sent % ids.length] ?? '', `Message ${sent}`, 'contact');
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      await inbox.say(ids[1] ?? '', `The last of ${count}`);
      await page.getByRole('link', { name: new RegExp(`The last of ${count}`) }).waitFor({ timeout: 60_000 });
    };
    const devtools = await page.context().newCDPSession(page);
    const heap = async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      return (await devtools.send('Runtime.getHeapUsage')).usedSize;
    };
    await events(WARM_UP);
    const before = await heap();
    await events(EVENTS);
    const growth = (await heap()) - before;
    console.info(`The heap of the console was ${before} bytes, and grew by ${growth} in ${EVENTS} events`);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);
    expect(complaints).toEqual([]);
    await page.close();
  }, 600_000);
});
