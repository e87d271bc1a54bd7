/** Loads what most tests load. Its process leaves the compiled modules in NODE_COMPILE_CACHE. */
import '../stack/stack.ts';
