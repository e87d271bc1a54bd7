import type { SendingDeps } from '../../conversations/messages/service.ts';
import type { Db } from '../../db/connect.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import type { ModelDeps } from '../../models/asking.ts';
import type { HttpClient, StreamClient } from '../../providers/egress/egress.ts';

/** What a decision needs of the rest. */
export interface DecisionDeps extends ModelDeps {
  semantics: SemanticSearch;
  /** Returns what the page has told of a contact's visit. */
  chatContextOf(db: Db, orgId: string, contactId: string): Promise<string | null>;
}

/** What turns need of the rest. */
export interface TurnDeps extends DecisionDeps {
  egress: HttpClient & StreamClient;
  sending: SendingDeps;
  /** Where links to confirmations lead. */
  publicUrl: string;
}
