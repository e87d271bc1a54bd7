import { createRequire } from 'node:module';

const vm = createRequire(import.meta.url)('node:vm');
const { compileFunction, SourceTextModule } = vm;
const TEST_FILE = /\.test\.ts$/;
const REJECTED = 'ERR_VM_MODULE_CACHED_DATA_REJECTED';
/** V8's code cache of each module, by its name and the length of its source. */
const caches = new Map();

/** Jest compiles every module anew for each test file of a worker. With V8's code cache of the first time it need not parse them again. */
vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(Module, [code, options]) {
    const key = `${options.identifier} ${code.length}`;
    try {
      const module = new Module(code, { ...options, cachedData: caches.get(key) });
      if (!caches.has(key) && !TEST_FILE.test(options.identifier)) caches.set(key, module.createCachedData());
      return module;
    } catch (error) {
      if (error.code !== REJECTED) throw error;
      caches.clear(); // a test has changed V8's flags
      return new Module(code, options);
    }
  },
});

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
