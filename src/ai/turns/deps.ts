import type { SendingDeps } from '../../conversations/messages/service.ts';
import type { Db } from '../../db/connect.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';

/** What turns need of the rest. */
export interface TurnDeps {
  db: Db;
  sending: SendingDeps;
  semantics: SemanticSearch;
  /** With which actions are called. */
  egress: HttpClient;
  secrets: Secrets;
}
