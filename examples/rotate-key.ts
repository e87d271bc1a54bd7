// Replaces an API key without a moment in which none works, as a nightly job does.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/rotate-key.ts
import { Switchboard, SwitchboardError, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const withKey = (key: string) => new Switchboard({ baseUrl: SWITCHBOARD_URL, key });
const admin = withKey(SWITCHBOARD_KEY);
const NAME = 'example: back end';

const createKey = () => admin.createApiKey({ body: { name: NAME, scopes: ['contacts:read'] } });
const works = (key: string) =>
  withKey(key)
    .listContacts({ query: { limit: 1 } })
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof SwitchboardError && error.code === 'unauthenticated') return false;
        throw error;
      },
    );

const former = await createKey(); // in use until now
try {
  const next = await createKey();
  if (!(await works(next.api_key))) throw new Error('The new key does not work: the former one stays');
  // Here the back end gets the new key, such as by the secrets of its deployment.
  await admin.revokeApiKey({ path: { id: former.api_key_id } });
  await waitFor(() => works(former.api_key), { until: (isValid) => !isValid, timeoutMs: 10_000 });
  console.log('The former key is refused, and the new one works');
} finally {
  const { items } = await admin.listApiKeys();
  for (const { id, name } of items) if (name === NAME) await admin.revokeApiKey({ path: { id } });
}
