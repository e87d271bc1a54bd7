import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('the settings of the AI', () => {
  it('are the defaults, as version 0, before anything is published', async () => {
    const { status, body } = await api.org.get('/autopilot/settings');
    expect(status).toBe(200);
    expect(body.published).toMatchObject({ version: 0, handoff_level: 1, quiet_seconds: { web: 1.5, email: 5 } });
    expect(body.draft.handoff_level).toBe(1);
  });

  it('change as a draft, and take effect when published, once per change', async () => {
    const org = await api.createOrg();
    const changed = await org.patch('/autopilot/settings', { handoff_level: 3, quiet_seconds: { web: 2 } });
    expect(changed.body).toMatchObject({
      draft: { handoff_level: 3, quiet_seconds: { web: 2, email: 5 } },
      published: { version: 0, handoff_level: 1 },
    });
    expect((await org.post('/autopilot/settings/publish')).body.published).toMatchObject({
      version: 1,
      handoff_level: 3,
    });
    expect((await org.post('/autopilot/settings/publish')).body.published.version).toBe(1);
    await org.patch('/autopilot/settings', { handoff_level: null });
    expect((await org.post('/autopilot/settings/publish')).body.published).toMatchObject({
      version: 2,
      handoff_level: 1,
      quiet_seconds: { web: 2 },
    });
    expect((await api.other.get('/autopilot/settings')).body.published.version).toBe(0);
  });

  it.each([
    [{ handoff_level: 4 }, 'body.handoff_level'],
    [{ quiet_seconds: { web: -1 } }, 'body.quiet_seconds.web'],
    [{ quiet_seconds: { fax: 1 } }, 'body.quiet_seconds'],
    [{ phrases: { en: { greeting: 'Hi' } } }, 'body.phrases.en'],
    [{ phrases: { en: { found: '  ' } } }, 'body.phrases.en.found'],
    [{ assume_resolved_after_minutes: 0 }, 'body.assume_resolved_after_minutes'],
    [{ max_wrong: 2 }, 'body.max_wrong'],
  ])('refuse %j and name the field', async (change, path) => {
    const { status, body } = await api.org.patch('/autopilot/settings', change);
    expect(status).toBe(400);
    expect(body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });
});
