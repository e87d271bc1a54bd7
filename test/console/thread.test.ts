import { CHROMIUM } from '../support/chromium.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

(CHROMIUM ? describe : describe.skip)('a conversation in the console', () => {
  let stack: TestConsole;
  beforeAll(async () => {
    stack = await startConsole();
  }, 120_000);
  afterAll(() => stack.close());

  it('keeps a draft when another conversation opens, and for the same member in another browser', async () => {
    const [first, second] = [await stack.conversation('Ada', 'One'), await stack.conversation('Ben', 'Two')];
    const { page, reply, log, complaints } = await stack.open('ann@acme.example', first);
    await reply.fill('Half of an answer');
    await page.getByRole('link', { name: /Ben/ }).click();
    await log.getByText('Two').waitFor();
    expect(await reply.inputValue()).toBe('');
    await page.getByRole('link', { name: /Ada/ }).click();
    await log.getByText('One').waitFor();
    expect(await reply.inputValue()).toBe('Half of an answer');
    await page.getByText('Draft stored').waitFor();
    const elsewhere = await stack.open('ann@acme.example', first);
    await elsewhere.page.getByText('Draft stored').waitFor();
    expect(await elsewhere.reply.inputValue()).toBe('Half of an answer');
    await reply.press('Control+Enter');
    await log.getByText('Half of an answer').waitFor();
    expect(await reply.inputValue()).toBe('');
    await elsewhere.page.goto(`${stack.api.url}/console/s/${second}`);
    await elsewhere.log.getByText('Two').waitFor();
    await elsewhere.page.goto(`${stack.api.url}/console/s/${first}`);
    await elsewhere.log.getByText('Half of an answer').waitFor();
    expect(await elsewhere.reply.inputValue()).toBe('');
    expect(complaints).toEqual([]);
    await elsewhere.page.context().close();
    await page.context().close();
  });

  it('says that a draft could not be stored, and stores it once the server is back', async () => {
    const id = await stack.conversation('Cleo', 'Hello');
    const { page, reply, button } = await stack.open('ann@acme.example', id);
    await page.route('**/draft', (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await reply.fill('Not lost');
    await page.getByText('Draft not stored').waitFor();
    await page.unroute('**/draft');
    await button('Try again').click();
    await page.getByText('Draft stored').waitFor();
    await page.context().close();
  });

  it('shows who else views a conversation and writes there', async () => {
    const id = await stack.conversation('Eve', 'Is anybody there?');
    const ann = await stack.open('ann@acme.example', id);
    const ben = await stack.open('ben@acme.example', id);
    const here = ann.page.getByRole('list', { name: 'Also here' });
    await here.getByText('ben').waitFor();
    await ben.reply.fill('I a');
    await ann.page.getByText('ben is writing…').waitFor();
    await ben.reply.fill('');
    await ben.page.context().close();
    await ann.page.context().close();
  });

  it('sends nothing behind messages that the member has not seen, and sends it anyway if told to', async () => {
    const id = await stack.conversation('Dora', 'Where is my parcel?');
    const { page, reply, log, button } = await stack.open('ann@acme.example', id);
    await reply.fill('It is on its way.');
    await stack.say(id, 'I found it!');
    await reply.press('Control+Enter');
    await page.getByRole('alert').getByText('I found it!').waitFor();
    expect(await reply.inputValue()).toBe('It is on its way.');
    await button('Send anyway').click();
    await log.getByText('It is on its way.').waitFor();
    expect(await reply.inputValue()).toBe('');
    await page.context().close();
  });
});
