export { stopServers as default } from './global-setup.ts';
