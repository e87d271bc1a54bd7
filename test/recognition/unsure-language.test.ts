import { newAnsweringOrg } from '../ai/answering-org.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('a first message too short to show its language', () => {
  const preview = async (text: string, language: string) => {
    const org = await newAnsweringOrg(api);
    await org.patch('/org', { language });
    const messages = [{ sender: 'contact', text }];
    return (await org.post('/autopilot/preview', { messages, channel: 'api' })).body;
  };

  it.each([
    ['Danke!', 'en'],
    ['Merci', 'en'],
    ['ありがとう', 'de'],
    ['Thanks', 'de'],
  ])('is recognized as thanks: %s', async (text, language) => {
    expect(await preview(text, language)).toMatchObject({ state: 'skipped', reason: 'acknowledgement' });
  });

  it.each([
    ['Humano', 'en'],
    ['Menschen', 'fr'],
  ])('is recognized as a wish for a person: %s', async (text, language) => {
    expect(await preview(text, language)).toMatchObject({ state: 'handed_off', reason: 'user_request' });
  });

  it.each(['Tak', 'Ja', 'Refund', 'Danke?'])(
    'is no thanks where it is something else in some language: %s',
    async (text) => {
      expect(await preview(text, 'en')).not.toMatchObject({ reason: 'acknowledgement' });
    },
  );
});

it('a contact may thank in the language of the org as well', async () => {
  const org = await newAnsweringOrg(api);
  await org.patch('/org', { language: 'de' });
  const messages = [
    { sender: 'contact', text: 'Où est ma commande ? Je l’attends depuis une semaine.' },
    { sender: 'human_agent', text: 'Sie kommt morgen.' },
    { sender: 'contact', text: 'Danke schön!' },
  ];
  const { body } = await org.post('/autopilot/preview', { messages, channel: 'api' });
  expect(body).toMatchObject({ state: 'skipped', reason: 'acknowledgement' });
});
