import type { SendingDeps } from '../../conversations/messages/service.ts';
import type { Db } from '../../db/connect.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import type { ModelDeps } from '../models/asking.ts';

/** What turns need of the rest. */
export interface TurnDeps extends ModelDeps {
  sending: SendingDeps;
  semantics: SemanticSearch;
  /** Where links to confirmations lead. */
  publicUrl: string;
  /** Returns what the page has told of a contact's visit. */
  chatContextOf(db: Db, orgId: string, contactId: string): Promise<string | null>;
}
