// Jest loads a .ts file with require and its own transform, and that breaks ES modules. It imports an .mjs file
// unchanged, and Node strips the types.
export { default } from '../../test/support/global-setup.ts';
