export { deleteIdleHosts, deleteOldCrawls, deleteOldRobots } from './maintenance.queries.ts';
