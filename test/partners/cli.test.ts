import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/cli/commands.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const CLI = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface Run {
  code: number;
  out: string;
  err: string;
}

function settings() {
  const { DATABASE_URL, JWT_SECRET } = api.config;
  return { DATABASE_URL, JWT_SECRET, SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}` };
}

/** Runs a command in this process. */
async function cli(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const printed: Run = { code: 0, out: '', err: '' };
  printed.code = await runCommand(args, {
    env: { ...settings(), ...env },
    print: (text) => {
      printed.out += `${text}\n`;
    },
    printError: (text) => {
      printed.err += `${text}\n`;
    },
  });
  return printed;
}

/** Runs a command in a process of its own. */
function cliProcess(args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...settings() } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const create = async (...args: string[]) => JSON.parse((await cli(['partner', 'create', '--json', ...args])).out);

describe('the command partner', () => {
  it('create prints a working key, once and in readable form', async () => {
    const { code, out, err } = await cliProcess(['partner', 'create', '--name', 'Tours & Co']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const key = /^api_key +(\S+)$/m.exec(out)?.[1] as string;
    expect(out).toMatch(/^name +Tours & Co$/m);
    expect((await api.client(key).get('/partner/v1/orgs')).body).toEqual({ data: [], total: 0 });
    expect((await cli(['partner', 'list'])).out).not.toContain(key);
  });

  it('create accepts an allow list', async () => {
    const partner = await create('--name', 'Walled', '--allow-ip', '203.0.113.0/24', '--allow-ip', '::1');
    expect(partner.allowed_ips).toEqual(['203.0.113.0/24', '::1/128']);
    expect((await api.client(partner.api_key).get('/partner/v1/orgs')).status).toBe(403);
  });

  it('create leaves nothing behind when it fails', async () => {
    const { code, err } = await cli(['partner', 'create', '--name', 'Broken', '--allow-ip', 'nonsense']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('CIDR') });
    expect((await cli(['partner', 'list'])).out).not.toContain('Broken');
  });

  it('deactivate and allow-ip take effect within a second', async () => {
    const { partner_id, api_key } = await create('--name', 'Changing');
    const status = async () => (await api.client(api_key).get('/partner/v1/orgs')).status;
    const settles = async (wanted: number) => {
      const deadline = Date.now() + 1_000;
      while ((await status()) !== wanted) expect(Date.now()).toBeLessThan(deadline);
    };
    expect(await status()).toBe(200);
    await cli(['partner', 'allow-ip', partner_id, '203.0.113.0/24']);
    await settles(403);
    await cli(['partner', 'allow-ip', partner_id, '--any']);
    await settles(200);
    await cli(['partner', 'deactivate', partner_id]);
    await settles(401);
    expect(JSON.parse((await cli(['partner', 'list', '--json'])).out)).toContainEqual(
      expect.objectContaining({ id: partner_id, is_active: false }),
    );
  });
});

describe('the commands key and org', () => {
  it('revoke ends the key of an org or a partner', async () => {
    const { api_key, api_key_id } = await create('--name', 'Revoked');
    expect((await cli(['key', 'revoke', api_key_id])).code).toBe(0);
    expect((await api.client(api_key).get('/partner/v1/orgs')).status).toBe(401);
    expect(await cli(['key', 'revoke', api_key_id])).toMatchObject({ code: 1, err: 'Key not found\n' });
  });

  it('list shows the orgs of one partner or of all', async () => {
    const mine = await api.createPartner();
    const org = await api.createOrg('Escape \u001b[2J', mine);
    const { out } = await cli(['org', 'list', '--partner', mine.id]);
    expect(out).toContain(org.id);
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain(api.org.id);
    expect((await cli(['org', 'list'])).out).toContain(api.org.id);
  });
});

describe('the command line with wrong usage', () => {
  it.each([
    [[]],
    [['partner']],
    [['partner', 'explode']],
    [['partner', 'create']],
    [['partner', 'create', '--nmae', 'X']],
    [['partner', 'list', 'extra']],
    [['partner', 'deactivate']],
    [['partner', 'allow-ip', 'x']],
    [['toString', 'x']],
  ])('exits with 2 and shows the help for %j', async (args) => {
    const { code, out, err } = await cli(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage:');
  });

  it.each([
    [['partner', 'deactivate', 'nonsense']],
    [['partner', 'deactivate', '01900000-0000-7000-8000-000000000000']],
    [['key', 'revoke', 'nonsense']],
  ])('exits with 1 and prints one line for %j', async (args) => {
    expect(await cli(args)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^\w+ not found\n$/) });
  });

  it('names the missing settings', async () => {
    const { code, err } = await cli(['org', 'list'], { DATABASE_URL: '' });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('DATABASE_URL') });
  });

  it('tells the exit code and the problem to the shell', async () => {
    expect(await cliProcess(['partner', 'explode'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Usage:'),
    });
  });

  it('prints the help with --help', async () => {
    expect(await cli(['--help'])).toMatchObject({ code: 0, err: '', out: expect.stringContaining('partner create') });
  });
});
