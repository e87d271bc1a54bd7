import type { Page } from 'playwright-core';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

(CHROMIUM ? describe : describe.skip)('the editor of workflows', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
    pages = createPages(api, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const admin = (path: string) => pages.open('ann@acme.example', path, { role: 'admin' });
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const graph = (page: Page) => page.getByRole('region', { name: 'Graph' });
  const form = (page: Page) => page.getByRole('region', { name: 'What is edited' });
  const add = async (page: Page, place: string, kind: RegExp) => {
    await graph(page).getByRole('button', { name: place, exact: true }).last().click();
    await page.getByRole('list', { name: 'Kinds of steps' }).getByRole('button', { name: kind }).click();
  };
  const wait = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
  const stored = async (name: string) =>
    (await api.org.get('/workflows')).body.items.find((one: { name: string }) => one.name === name);

  it('makes a workflow with branches, says its problems as it is written, and activates it', async () => {
    const { page, complaints } = await admin('/automations');
    const validated = page.waitForResponse(/\/workflows\/validate$/);
    await page.getByRole('link', { name: 'New workflow' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    await (await validated).finished();
    expect(await page.getByText(/It needs a name|problem/).count()).toBe(0);
    await button(page, 'Create the workflow').click();
    await page.getByText('It needs a name').waitFor();
    await page.getByText('1 problem').waitFor();
    await page.keyboard.type('Thank the customer'); // it has the focus
    expect(await name.inputValue()).toBe('Thank the customer');
    await add(page, 'Add a step at the end', /^If, else/);
    await page.getByRole('textbox', { name: 'If this' }).fill('{{trigger.output.contact.name}}');
    await page.getByRole('combobox', { name: 'Is' }).selectOption('is_not_empty');
    await graph(page)
      .getByRole('region', { name: 'Branch then' })
      .getByRole('button', { name: 'Add a step at the end' })
      .click();
    await page
      .getByRole('list', { name: 'Kinds of steps' })
      .getByRole('button', { name: /^Add a note/ })
      .click();
    await form(page).getByText('must not be empty').waitFor();
    await graph(page).getByRole('img', { name: 'Something is wrong' }).waitFor();
    expect(await button(page, 'Create the workflow').getAttribute('aria-disabled')).toBe('true');
    await form(page).getByRole('textbox', { name: 'text' }).fill('Thank {{trigger.output.contact.name}}');
    await page.getByText('problem').waitFor({ state: 'detached' });
    await button(page, 'Create the workflow').click();
    await page.getByRole('heading', { name: /Thank the customer.*Inactive, version 1/ }).waitFor();
    await button(page, 'Activate version 1').click();
    await button(page, 'Activate it').click();
    await page.getByRole('heading', { name: /Active, version 1/ }).waitFor();
    expect(await stored('Thank the customer')).toMatchObject({
      is_active: true,
      trigger_type: 'ticket-created',
      workflow_blocks: [
        {
          type: 'if-else',
          inputs: { condition: { operatorName: 'is_not_empty', left: '{{trigger.output.contact.name}}' } },
          branches: {
            // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
            then: [{ type: 'add-note', input: { text: 'Thank {{trigger.output.contact.name}}' } }],
          },
        },
      ],
    });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('keeps changes between the parts of the page, simulates them, and saves them behind what others have saved', async () => {
    const { body } = await api.org.post('/workflows', {
      name: 'Wait',
      trigger_type: 'manual-trigger',
      workflow_blocks: [wait],
    });
    const path = `/workflows/${body.workflow_id}`;
    const { page, complaints } = await admin(`/automations/${body.workflow_id}`);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await graph(page)
      .getByRole('button', { name: /^pause/ })
      .click();
    await page.getByRole('textbox', { name: 'Minutes' }).fill('5');
    await add(page, 'Add a step before pause', /^Wait Waits/);
    await page.getByText('not saved').waitFor();
    await page.getByRole('link', { name: 'Simulation' }).click();
    await page.getByText('your changes, which are not saved').waitFor();
    await button(page, 'Simulate').click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Completed').waitFor();
    expect(await result.getByRole('listitem').count()).toBe(2);
    await page.getByRole('link', { name: 'Go on editing' }).click();
    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Home' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
    await api.org.patch(path, { description: 'By somebody else' });
    await button(page, 'Save as a new version').click();
    await page.getByRole('alert').getByText('Version 2 was saved meanwhile by the API key Test').waitFor();
    await page.getByText('You edit version 1, not saved · Version 2 was saved meanwhile').waitFor();
    await button(page, 'Save as a new version').click();
    await page.getByText('You edit version 3', { exact: true }).waitFor();
    const versions = (await api.org.get(`${path}/versions`)).body.items;
    expect(versions[0].workflow_blocks.map((step: { inputs: object }) => step.inputs)).toEqual([
      { minutes: 10 },
      { minutes: 5 },
    ]);
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('+         "minutes": 5').first().waitFor();
    expect(complaints).toEqual([expect.stringContaining('412')]);
    await page.close();
  });

  it('keeps JSON of a step that is not taken while others are opened and moved, and saves only without it', async () => {
    const { body } = await api.org.post('/workflows', {
      name: 'Wait twice',
      trigger_type: 'manual-trigger',
      workflow_blocks: [wait, { ...wait, id: 'second' }],
    });
    const { page, complaints } = await admin(`/automations/${body.workflow_id}?tab=edit`);
    const node = (id: string) => graph(page).getByRole('button', { name: new RegExp(`^${id}`) });
    const json = page.getByRole('textbox', { name: 'Step pause, as JSON' });
    await node('pause').click();
    await page.getByText('The step as JSON').click();
    const shorter = JSON.stringify({ ...wait, inputs: { minutes: 7 } });
    await json.fill(shorter);
    await node('second').click();
    await button(page, 'Move it up').click();
    await page.getByRole('textbox', { name: 'Id, by which later steps name its output' }).fill('first');
    expect(await json.count()).toBe(0);
    const save = button(page, 'Save as a new version');
    expect(await save.getAttribute('title')).toBe('It can be saved once the JSON of its steps is taken or dropped');
    await page.getByRole('link', { name: 'JSON', exact: true }).click();
    await page.getByRole('link', { name: 'Go on editing' }).click();
    await button(page, 'JSON of pause is not taken').click();
    expect(await json.inputValue()).toBe(shorter);
    await page.getByText('The step as JSON, not taken').click();
    await json.waitFor({ state: 'detached' });
    await button(page, 'JSON of pause is not taken').click();
    expect(await json.inputValue()).toBe(shorter);
    await button(page, 'Remove').click();
    await page.getByRole('dialog', { name: 'Remove pause?' }).getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Take this').click();
    await api.org.patch(`/workflows/${body.workflow_id}`, { description: 'By somebody else' });
    await page.route('**/audit?*', (route) => route.fulfill({ status: 403, json: { message: 'Not for this role' } }));
    await save.click();
    await page.getByRole('alert').getByText('Version 2 was saved meanwhile. ').waitFor();
    await page.getByText('The step as JSON').click();
    const longer = JSON.stringify({ ...wait, inputs: { minutes: 8 } });
    await json.fill(longer);
    await node('first').click();
    await button(page, 'Try again').click();
    expect(await json.inputValue()).toBe(longer);
    await page.getByRole('link', { name: 'Simulation' }).click();
    await page.getByText('your changes, which are not saved, without the JSON that is not taken').waitFor();
    await page.getByRole('link', { name: 'Go on editing' }).click();
    await button(page, 'JSON of pause is not taken').click();
    await button(page, 'Drop this').click();
    await save.click();
    await page.getByText('You edit version 3', { exact: true }).waitFor();
    expect((await stored('Wait twice')).workflow_blocks).toMatchObject([
      { id: 'first', inputs: { minutes: 60 } },
      { id: 'pause', inputs: { minutes: 7 } },
    ]);
    expect(complaints).toEqual([expect.stringContaining('412'), expect.stringContaining('403')]);
    await page.close();
  });

  it('simulates a configured trigger, and shows the cases that are left when one is removed', async () => {
    const cases = [
      { equals: 'one', steps: [wait] },
      { equals: 'two', steps: [] },
    ];
    const { body } = await api.org.post('/workflows', {
      name: 'Sort',
      trigger_type: 'cron-trigger',
      trigger_configuration: { cron: '0 9 * * *' },
      workflow_blocks: [{ $kind: 'Block', type: 'switch', id: 'sort', inputs: { value: 'two' }, branches: { cases } }],
    });
    const { page, complaints } = await admin(`/automations/${body.workflow_id}?tab=simulation`);
    await button(page, 'Simulate').click();
    await page.getByRole('region', { name: 'Result' }).getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await graph(page).getByRole('button', { name: /^sort/ }).click();
    await button(page, 'Remove case 1').click();
    await page.getByRole('dialog', { name: 'Remove case 1?' }).getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('not saved').waitFor();
    expect(await page.getByRole('textbox', { name: 'Case 1: equal to' }).inputValue()).toBe('two');
    await button(page, 'Discard the changes').click();
    await button(page, 'Discard them').click();
    await page.getByText(/^You edit version 1$/).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows viewers the graph, and nothing to edit', async () => {
    const { body } = await api.org.post('/workflows', {
      name: 'Read',
      trigger_type: 'manual-trigger',
      workflow_blocks: [wait],
    });
    const { page } = await pages.open('vic@acme.example', `/automations/${body.workflow_id}?tab=edit`, {
      role: 'viewer',
    });
    await graph(page)
      .getByRole('button', { name: /^pause/ })
      .waitFor();
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^(?:Activate|Deactivate|Save|Add)/ }).count()).toBe(0);
    await page.close();
    const listed = await pages.open('vic@acme.example', '/automations', { role: 'viewer' });
    await eventually('the list', async () => (await listed.page.getByRole('link', { name: 'Read' }).count()) > 0);
    expect(await listed.page.getByRole('link', { name: 'New workflow' }).count()).toBe(0);
    await listed.page.close();
  });
});
