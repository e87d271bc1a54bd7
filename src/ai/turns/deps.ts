import type { SendingDeps } from '../../conversations/messages/service.ts';
import type { Db } from '../../db/connect.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import type { ModelDeps } from '../../models/asking.ts';
import type { HttpClient, StreamClient } from '../../providers/egress/egress.ts';

/** The dependencies of a decision. */
export interface DecisionDeps extends ModelDeps {
  semantics: SemanticSearch;
  /** Returns the page's facts about a contact's visit. */
  chatContextOf(db: Db, orgId: string, contactId: string): Promise<string | null>;
}

/** The dependencies of turns. */
export interface TurnDeps extends DecisionDeps {
  egress: HttpClient & StreamClient;
  sending: SendingDeps;
  /** The base of links to confirmations. */
  publicUrl: string;
}
