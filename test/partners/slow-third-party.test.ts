import { startFakeFareHarbor } from '../support/fakes/fareharbor.ts';
import { startApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

it('a slow third party does not block other requests, and is not called again for a repeated request', async () => {
  const fareHarbor = await startFakeFareHarbor();
  const api = await startApi({ env: { FAREHARBOR_BASE_URL: fareHarbor.url, DATABASE_POOL_SIZE: '4' } });
  try {
    const calls = 8;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    fareHarbor.next(...Array.from({ length: calls }, () => ({ released })));
    const create = (index: number) =>
      api.partner.post(
        '/partner/v1/orgs',
        { name: `Org ${index}`, integrations: { fareharbor: { app_key: 'app', user_key: 'good' } } },
        { headers: { 'idempotency-key': `org ${index}` } },
      );
    const pending = Array.from({ length: calls }, (_, index) => create(index));
    await eventually('all to be asked', () => fareHarbor.calls.length === calls);

    const saved = await api.org.post('/contacts', { contact: { email: 'ann@example.com' } });
    expect(saved.status).toBe(201);
    const { body } = await api.org.get('/contacts');
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([saved.body.id]);

    release();
    const made = await Promise.all(pending);
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    const again = await create(0);
    expect(again.body).toEqual(made[0]?.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(fareHarbor.calls).toHaveLength(calls);
  } finally {
    await api.close();
    await fareHarbor.close();
  }
});
