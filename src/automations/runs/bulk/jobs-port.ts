import type { OtherJobs } from '../../../conversations/bulk/jobs.port.ts';
import { findRunJob } from './service.ts';

/** The jobs of POST /runs/bulk, as GET /jobs/{id} shows them. */
export const runJobs: OtherJobs = { scope: 'workflows:read', find: findRunJob };
