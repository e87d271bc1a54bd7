import { createRequire } from 'node:module';

const vm = createRequire(import.meta.url)('node:vm');
const { compileFunction, SourceTextModule } = vm;
const TEST_FILE = /\.test\.ts$/;
/** V8's code cache of each module, by its name and the length of its source. */
const caches = new Map();

/** Jest compiles every module anew for each test file of a worker. With V8's code cache of the first time it need not parse them again. */
vm.SourceTextModule = class extends SourceTextModule {
  constructor(code, options) {
    const key = `${options.identifier} ${code.length}`;
    super(code, { ...options, cachedData: caches.get(key) });
    if (!caches.has(key) && !TEST_FILE.test(options.identifier)) caches.set(key, this.createCachedData());
  }
};

vm.compileFunction = (code, names, options) => {
  const key = `${options.filename} ${code.length}`;
  const cachedData = caches.get(key);
  const compiled = compileFunction(code, names, {
    ...options,
    cachedData,
    produceCachedData: cachedData === undefined,
  });
  if (compiled.cachedData !== undefined) caches.set(key, compiled.cachedData);
  return compiled;
};
