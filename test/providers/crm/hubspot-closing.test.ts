import { startHubspotClient } from '../../support/hubspot-client.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function start(...settings: Parameters<typeof startHubspotClient>) {
  const started = await startHubspotClient(...settings);
  opened.push(started);
  const { id } = started.fake.addTicket({ subject: 'x', hs_pipeline: '0', hs_pipeline_stage: '1' });
  const stage = () => started.fake.ticket(id)?.properties.hs_pipeline_stage;
  return { ...started, id, stage };
}

describe('closing a HubSpot ticket', () => {
  it('moves it to the configured stage by one call', async () => {
    const { fake, client, id, stage } = await start({ closed_stage_id: '5' });
    await client.closeTicket(id);
    expect(stage()).toBe('5');
    expect(fake.requests()).toHaveLength(1);
  });

  it("moves it to its pipeline's first closed stage if none is configured, skipping an archived one", async () => {
    const { fake, client, id, stage } = await start();
    const archived = {
      id: '0',
      label: 'Old',
      displayOrder: -1,
      archived: true,
      metadata: { ticketState: 'CLOSED' },
    } as const;
    fake.crm.pipelines.unshift({ id: 'other', label: 'Other', displayOrder: 9, stages: [archived] });
    fake.crm.pipelines[1]?.stages.push(archived);
    await client.closeTicket(id);
    expect(stage()).toBe('4');
  });

  it('leaves a ticket unchanged if it is in a closed stage or deleted', async () => {
    const { fake, client, id, stage } = await start();
    const ticket = fake.ticket(id);
    if (ticket !== undefined) ticket.properties.hs_pipeline_stage = '5';
    await client.closeTicket(id);
    expect(stage()).toBe('5');
    await client.closeTicket('1');
    expect(fake.requests('PATCH')).toEqual([]);
  });

  it('succeeds if the ticket is deleted, even with a configured stage', async () => {
    const { client } = await start({ closed_stage_id: '4' });
    await expect(client.closeTicket('1')).resolves.toBeUndefined();
  });

  it('names the setting to change if no stage is closed', async () => {
    const { fake, client, id } = await start();
    for (const stage of fake.crm.pipelines[0]?.stages ?? []) stage.metadata.ticketState = 'OPEN';
    await expect(client.closeTicket(id)).rejects.toMatchObject({
      transient: false,
      message: expect.stringContaining('closed_stage_id'),
    });
  });
});

it.each([
  ['4', true],
  ['5', true],
  ['1', false],
  ['99', false],
])('recognizes whether HubSpot’s stage %s closes tickets', async (stageId, expected) => {
  const { client, id } = await start();
  expect(await client.isClosedStage(id, stageId)).toBe(expected);
  expect(await client.isClosedStage('1', stageId)).toBe(false);
});

it('recognizes the configured HubSpot stage as closed without a request', async () => {
  const { fake, client, id } = await start({ closed_stage_id: '2' });
  expect(await client.isClosedStage(id, '2')).toBe(true);
  expect(fake.requests()).toEqual([]);
});
