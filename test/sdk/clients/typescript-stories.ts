/** A configuration of orval with a fetch that knows the address and the key, and a story by its client. */
export const ORVAL = {
  'orval.config.mjs': `export default {
  switchboard: {
    input: './openapi.json',
    output: {
      target: './client.ts',
      client: 'fetch',
      override: { mutator: { path: './fetcher.ts', name: 'fetcher' } },
    },
  },
};
`,
  'fetcher.ts': `const [, , url = '', key = ''] = process.argv;
export const fetcher = async <T>(path: string, options: RequestInit): Promise<T> => {
  const headers = { ...options.headers, authorization: \`Bearer \${key}\` };
  const response = await fetch(url + path, { ...options, headers });
  const text = await response.text();
  return { status: response.status, data: text === '' ? undefined : JSON.parse(text), headers: response.headers } as T;
};
`,
  'story.ts': `import { getContact, listContacts, saveContact } from './client';

async function story(external_id: string) {
  const contact = { external_id, email: \`\${external_id}@example.com\`, name: 'Ada' };
  const saved = await saveContact({ contact });
  if (saved.status !== 201) throw new Error(saved.data.message);
  const read = await getContact(saved.data.id);
  const page = await listContacts({ external_id });
  const missing = await getContact('00000000-0000-4000-8000-000000000000');
  if (read.status !== 200 || page.status !== 200 || missing.status !== 404) throw new Error('other statuses');
  const ids = page.data.items.map((item) => item.external_id);
  console.log(JSON.stringify([read.data.name, ids, missing.data.code]));
}
void story(process.argv[4] ?? '');
`,
};

/** A story by the client of openapi-generator's typescript-fetch. */
export const TYPESCRIPT_FETCH = {
  'story.ts': `import { Configuration, ContactsApi, ResponseError } from './index';

const [, , basePath = '', accessToken = '', externalId = ''] = process.argv;
const contacts = new ContactsApi(new Configuration({ basePath, accessToken }));

async function codeOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return 'found';
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return (await error.response.json()).code;
  }
}

async function story() {
  const contact = { externalId, email: \`\${externalId}@example.com\`, name: 'Ada' };
  const saved = await contacts.saveContact({ saveContact: { contact } });
  const read = await contacts.getContact({ id: saved.id });
  const page = await contacts.listContacts({ externalId });
  const code = await codeOf(contacts.getContact({ id: '00000000-0000-4000-8000-000000000000' }));
  console.log(JSON.stringify([read.name, page.items.map((item) => item.externalId), code]));
}
void story();
`,
};

/** What both are compiled by. */
export const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'commonjs',
    strict: true,
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: ['node'],
    skipLibCheck: true,
    outDir: 'dist',
  },
  include: ['**/*.ts'],
};
