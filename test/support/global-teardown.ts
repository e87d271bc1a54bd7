import { stopServers } from './global-setup.ts';

export default stopServers;
