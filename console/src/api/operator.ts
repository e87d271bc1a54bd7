import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError } from './client';
import { readJson, sayUnreachable } from './http/requests';
import { PAGES } from './pages';

/** The operator's API is not in the document of the organizations: these are its answers as `/operator/openapi.json` has them. */
export interface OperatorState {
  operator: { name: string; via: 'key' | 'session'; expires_at: string | null };
  version: string;
  status: string;
  reasons: Record<string, string>;
  sending: { state: 'running' | 'paused'; reason: string | null; paused_at: string | null };
  links: { kind: string; url: string }[];
}

export interface OutboxRow {
  id: string;
  org_id: string;
  kind: string;
  type: string;
  workflow_id: string | null;
  attempts: number;
  reason: string | null;
  created_at: string;
  next_try_at: string;
}

export interface OutboxState {
  waiting: number;
  oldest_seconds: number | null;
  failing: number;
  parked: number;
  items: OutboxRow[];
}

export interface ParkedEvent {
  id: string;
  org_id: string;
  type: string;
  subject_id: string;
  reason: string | null;
  created_at: string;
}

export interface QueueState {
  queue: string;
  tasks: string;
  pollers: { identity: string; last_seen_at: string | null }[];
  backlog: number;
  backlog_age_seconds: number;
  url: string | null;
}

export interface Incident {
  kind: string;
  org_id: string;
  ref: string;
  since: string | null;
  count: number;
  reason: string | null;
}

export interface LimitHit {
  kind: string;
  owner: string;
  used: number | null;
  limit: number | null;
}

export interface ProviderCount {
  kind: string;
  provider: string;
  connected: number;
  failing: number;
}

export interface OrgCounts {
  id: string;
  name: string;
  members: number;
  contacts: number;
  open_sessions: number;
  active_sequences: number;
  active_workflows: number;
  outbox: number;
}

export interface Mismatch {
  kind: string;
  org_id: string;
  id: string;
  temporal: string;
  url: string | null;
}

export interface OperatorAction {
  id: string;
  at: string;
  operator: { id: string | null; name: string | null; via: 'key' | 'session' | 'command' };
  action: string;
  ref: string | null;
  detail: string | null;
}

interface Page<Row> {
  items: Row[];
  next: string | null;
}

const AGAIN_MS = 10_000;

/** Calls the operator's API with the cookie of the operator's session. */
export async function operatorCall<Data>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Data> {
  const response = await fetch(`/operator/v1/${path}`, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(sayUnreachable);
  const value = await readJson(response);
  if (!response.ok) throw new ApiError(response.status, value);
  return value as Data;
}

const KEY = 'operator';
const partQuery = <Data>(path: string) =>
  queryOptions({
    queryKey: [KEY, path],
    queryFn: () => operatorCall<Data>('GET', path),
    refetchInterval: AGAIN_MS,
    retry: (failures, error) => !(error instanceof ApiError && error.status === 401) && failures < 2,
  });

export const stateQuery = partQuery<OperatorState>('state');
export const outboxQuery = partQuery<OutboxState>('outbox');
export const parkedQuery = partQuery<Page<ParkedEvent>>('parked');
export const queuesQuery = partQuery<{ state: 'ok' | 'away'; items: QueueState[] }>('queues');
export const incidentsQuery = partQuery<{ items: Incident[] }>('incidents');
export const limitsQuery = partQuery<{ items: LimitHit[] }>('limits');
export const providersQuery = partQuery<{ items: ProviderCount[] }>('providers');

export const actionsQuery = partQuery<Page<OperatorAction>>('actions?limit=20');

export const orgsQuery = infiniteQueryOptions({
  queryKey: [KEY, 'orgs'],
  queryFn: ({ pageParam }) =>
    operatorCall<Page<OrgCounts>>('GET', pageParam === undefined ? 'orgs' : `orgs?cursor=${pageParam}`),
  ...PAGES,
});
