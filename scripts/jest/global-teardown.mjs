// Jest loads a .ts file by require and its transform, which breaks ES modules. An .mjs file it imports as it is, and Node strips the types.
export { default } from '../../test/support/global-teardown.ts';
