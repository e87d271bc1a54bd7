import type { RequestType } from './schema.ts';

/** Returns whether a call of an action changes nothing: it may be repeated, and needs no confirmation. */
export const onlyReads = ({ request_type, read_only }: { request_type: RequestType; read_only: boolean }): boolean =>
  request_type === 'GET' || read_only;
