export { deleteOldCallbacks, deleteOldSandboxMessages } from './maintenance.queries.ts';
