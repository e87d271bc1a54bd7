import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { installNode } from '../../scripts/tools/node.ts';
import { installPython, type Python } from '../../scripts/tools/python.ts';
import { type ApiDocument, operationsOf } from '../../src/api/edge/documents/openapi-document/document.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { JAVA_POM } from './clients/java-pom.ts';
import { ORVAL, TSCONFIG, TYPESCRIPT_FETCH } from './clients/typescript-stories.ts';

const run = promisify(execFile);
const HOME = resolve('.data/generators');
const OWN = join(import.meta.dirname, 'clients');
const TSC = resolve('node_modules/.bin/tsc');
const TYPES = resolve('node_modules/@types');
const LIMIT_MS = 600_000;
const MAX_OUTPUT_BYTES = 100 * 1024 ** 2;
/** Its own templates have serializers without versions and call a deprecated method of Jackson. */
const JAVA_LINT = ['-Werror', '-Xlint:all,-processing,-serial,-deprecation'];
const NODE_TOOLS = { orval: '8.38.0', '@redocly/cli': '2.77.0', '@stoplight/spectral-cli': '6.16.3' };

/** Returns the installed programs, or undefined with a line about the missing ones. */
function ifAvailable<Installed>(name: string, install: () => Installed): Installed | undefined {
  try {
    return install();
  } catch (error) {
    console.log(`SKIPPED: ${name} cannot be installed: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}
const python = ifAvailable('the generators of PyPI', () =>
  installPython(join(OWN, 'requirements.txt'), join(HOME, 'python')),
);
const programs = ifAvailable('the generators and linters of npm', () => installNode(NODE_TOOLS, join(HOME, 'node')));
/** Returns a test that is skipped, with a line that says so, if a program is missing. */
const withPrograms = (...names: string[]) => {
  const missing = names.filter((name) => spawnSync(name, [name === 'go' ? 'version' : '-version']).error !== undefined);
  if (missing.length > 0) console.log(`SKIPPED: without ${missing.join(' and ')} its client is not compiled`);
  return missing.length > 0 || python === undefined ? it.skip : it;
};
const withPython = python === undefined ? it.skip : it;
const withNode = programs === undefined ? it.skip : it;

let api: TestApi;
let folder: string;
let document: ApiDocument;
let operations: string[];
beforeAll(async () => {
  api = await startApi();
  folder = mkdtempSync(join(tmpdir(), 'generators-'));
  document = (await api.org.get('/openapi.json')).body;
  operations = operationsOf(document).map(({ operation }) => operation.operationId ?? '');
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Makes a folder with some files and the document, which openapi-generator takes without its webhooks. */
function newFolder(name: string, files: Record<string, string>, { webhooks = true } = {}): string {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const { webhooks: _, ...paths } = document;
  const given = { ...files, 'openapi.json': JSON.stringify(webhooks ? document : paths) };
  for (const [file, content] of Object.entries(given)) writeFileSync(join(cwd, file), content);
  return cwd;
}

/** Runs a program, and rejects with all that it has printed if it fails. */
async function execute(
  cwd: string,
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, NODE_OPTIONS: '', ...env }, maxBuffer: MAX_OUTPUT_BYTES };
  try {
    const { stdout, stderr } = await run(program, args, options);
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${(stdout + stderr).slice(-5_000)}`);
  }
}
const runPython = (cwd: string, ...args: string[]) => {
  const { program, env } = python as Python;
  return execute(cwd, program, args, { ...env, PYTHONDONTWRITEBYTECODE: '1' });
};
const runTool = (cwd: string, name: string, ...args: string[]) =>
  execute(cwd, process.execPath, [join(programs as string, name), ...args]);
const openapiGenerator = (cwd: string, ...args: string[]) =>
  runPython(cwd, '-c', 'import sys; from openapi_generator_cli import cli; sys.exit(cli())', 'generate', ...args);

/** Saves, reads and lists a contact, and meets an error: every client prints the same. */
async function expectStory(name: string, tell: (...args: string[]) => Promise<string>) {
  const printed = await tell(api.url, api.org.key, name);
  expect(JSON.parse(printed)).toEqual(['Ada', [name], 'not_found']);
  const { items } = (await api.org.get(`/contacts?external_id=${name}`)).body;
  expect(items).toMatchObject([{ name: 'Ada', email: `${name}@example.com` }]);
}

async function compile(cwd: string) {
  const { compilerOptions, ...rest } = TSCONFIG;
  const tsconfig = { compilerOptions: { ...compilerOptions, typeRoots: [TYPES] }, ...rest };
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(tsconfig));
  writeFileSync(join(cwd, 'package.json'), '{"type":"commonjs"}');
  await execute(cwd, process.execPath, [TSC, '-p', cwd]);
  return (...args: string[]) => execute(cwd, process.execPath, [join(cwd, 'dist/story.js'), ...args]);
}

const filesIn = (path: string, ending: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
const readAll = (path: string, ending: string) =>
  filesIn(path, ending)
    .map((name) => readFileSync(join(path, name), 'utf8'))
    .join('\n');

withPython(
  'openapi-python-client makes all operations, strictly typed, and its client works',
  async () => {
    const story = 'openapi_python_client_story.py';
    const cwd = newFolder('openapi-python-client', { [story]: readFileSync(join(OWN, story), 'utf8') });
    const client = join(cwd, 'switchboard_client');
    const options = ['--path', 'openapi.json', '--output-path', client, '--meta', 'none', '--overwrite'];
    const printed = await runPython(
      cwd,
      ...['-m', 'openapi_python_client', 'generate', ...options],
      ...['--config', join(OWN, 'openapi-python-client.yml'), '--fail-on-warning'],
    );
    expect(printed).not.toMatch(/WARNING|Unable to/);
    const made = filesIn(join(client, 'api'), '.py').filter((name) => !name.endsWith('__init__.py'));
    expect(made.length).toBe(operations.length);
    expect(await runPython(cwd, '-m', 'mypy', '--strict', 'switchboard_client', story)).toContain('no issues found');
    await expectStory('openapi-python-client', (...args) => runPython(cwd, story, ...args));
  },
  LIMIT_MS,
);

withPython(
  'openapi-generator makes all operations of a Python client, typed, and it works',
  async () => {
    const story = 'openapi_generator_story.py';
    const files = { [story]: readFileSync(join(OWN, story), 'utf8') };
    const cwd = newFolder('openapi-generator', files, { webhooks: false });
    await openapiGenerator(
      cwd,
      ...['-i', 'openapi.json', '-g', 'python', '-o', '.', '--package-name', 'switchboard_client'],
    );
    const made = readAll(join(cwd, 'switchboard_client/api'), '.py').match(/def _\w+_serialize\(/g);
    expect(made?.length).toBe(operations.length);
    // Its own templates are not strict, so only what is written by hand is.
    expect(await runPython(cwd, '-m', 'mypy', 'switchboard_client')).toContain('no issues found');
    expect(await runPython(cwd, '-m', 'mypy', '--strict', '--follow-imports=silent', story)).toContain(
      'no issues found',
    );
    await expectStory('openapi-generator-python', (...args) => runPython(cwd, story, ...args));
  },
  LIMIT_MS,
);

withPython(
  'openapi-generator makes all operations of a TypeScript client, strictly typed, and it works',
  async () => {
    const cwd = newFolder('typescript-fetch', TYPESCRIPT_FETCH, { webhooks: false });
    await openapiGenerator(cwd, '-i', 'openapi.json', '-g', 'typescript-fetch', '-o', '.');
    const made = readAll(join(cwd, 'apis'), '.ts');
    expect(operations.filter((id) => !made.includes(`async ${id}(`))).toEqual([]);
    await expectStory('typescript-fetch', await compile(cwd));
  },
  LIMIT_MS,
);

withPrograms('go')(
  'openapi-generator makes all operations of a Go client, vetted, and it works',
  async () => {
    const cwd = newFolder('go', {}, { webhooks: false });
    // Constants of Go share one space, and answers of a later version have members that this one does not name.
    const options = 'enumClassPrefix=true,disallowAdditionalPropertiesIfNotPresent=false';
    const module = ['--package-name', 'switchboard', '--git-user-id', 'example', '--git-repo-id', 'switchboard'];
    await openapiGenerator(
      cwd,
      ...['-i', 'openapi.json', '-g', 'go', '-o', '.', ...module, '--additional-properties', options],
      ...['--global-property', 'apiTests=false,modelTests=false'],
    );
    const made = readAll(cwd, '.go').match(/^func \(a \*\w+APIService\) \w+Execute\(/gm);
    expect(made?.length).toBe(operations.length);
    mkdirSync(join(cwd, 'story'));
    copyFileSync(join(OWN, 'go_story.go.txt'), join(cwd, 'story/main.go'));
    await execute(cwd, 'go', ['mod', 'tidy']);
    await execute(cwd, 'go', ['vet', '.', './story']);
    await execute(cwd, 'go', ['build', '-o', 'told', './story']);
    await expectStory('go', (...args) => execute(cwd, join(cwd, 'told'), args));
  },
  LIMIT_MS,
);

withPrograms('javac', 'mvn')(
  'openapi-generator makes all operations of a Java client, compiled, and it works',
  async () => {
    const story = 'JavaStory.java';
    const cwd = newFolder('java', { 'pom.xml': JAVA_POM }, { webhooks: false });
    // A new parameter of an operation would come between those of a method that takes each by its place.
    const options = 'openApiNullable=false,useJakartaEe=true,useSingleRequestParameter=true';
    await openapiGenerator(
      cwd,
      ...['-i', 'openapi.json', '-g', 'java', '-o', 'made', '--library', 'native', '--additional-properties', options],
      ...['--api-package', 'switchboard.api', '--model-package', 'switchboard.model'],
      ...['--invoker-package', 'switchboard'],
    );
    const source = join(cwd, 'made/src/main/java');
    const made = readAll(join(source, 'switchboard/api'), '.java');
    expect(operations.filter((id) => !made.includes(` ${id}WithHttpInfo(`))).toEqual([]);
    await execute(cwd, 'mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib']);
    copyFileSync(join(OWN, `${story}.txt`), join(source, story));
    writeFileSync(
      join(cwd, 'sources'),
      filesIn(source, '.java')
        .map((name) => join(source, name))
        .join('\n'),
    );
    await execute(cwd, 'javac', [...JAVA_LINT, '-cp', 'lib/*', '-d', 'classes', '@sources']);
    await expectStory('java', (...args) => execute(cwd, 'java', ['-cp', 'classes:lib/*', 'JavaStory', ...args]));
  },
  LIMIT_MS,
);

withNode(
  'orval makes all operations, strictly typed, and its client works',
  async () => {
    const cwd = newFolder('orval', ORVAL);
    await runTool(cwd, 'orval', '--config', 'orval.config.mjs');
    const made = readFileSync(join(cwd, 'client.ts'), 'utf8');
    expect(operations.filter((id) => !made.includes(`export const ${id} = async (`))).toEqual([]);
    await expectStory('orval', await compile(cwd));
  },
  LIMIT_MS,
);

withNode(
  'Redocly’s linter finds no error in the document',
  async () => {
    const printed = await runTool(newFolder('redocly', {}), 'redocly', 'lint', 'openapi.json', '--format=summary');
    expect(printed).toContain('Your API description is valid');
  },
  LIMIT_MS,
);

withNode(
  'Spectral’s linter finds no error in the document, and nothing but scopes of keys to warn of',
  async () => {
    const cwd = newFolder('spectral', { '.spectral.yaml': 'extends: ["spectral:oas"]\n' });
    await runTool(
      cwd,
      'spectral',
      ...['lint', 'openapi.json', '--ruleset', '.spectral.yaml', '-f', 'json', '-o', 'found.json'],
    );
    const found: { code: string }[] = JSON.parse(readFileSync(join(cwd, 'found.json'), 'utf8'));
    // OpenAPI 3.1 allows scopes with every kind of key. The rule is of 3.0.
    expect([...new Set(found.map(({ code }) => code))]).toEqual(['oas3-operation-security-defined']);
  },
  LIMIT_MS,
);
