import { getPublishedAiSettings } from '../../ai/settings/service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import { listSaidMessages } from '../../conversations/summary/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { idOf } from '../../ids.ts';
import { askModel, findModels, type ModelDeps, parseAnswer } from '../../models/asking.ts';
import { EXTRACTION_SCHEMA, ExtractionAnswer, MAX_STATEMENTS } from './answer.schema.ts';
import type { ExtractionInput, ExtractionResult } from './contract.ts';
import { extractionPrompt } from './prompt.rules.ts';
import { findExtraction, insertExtraction } from './queries.ts';
import { type CustomerMessage, type Statement, statementByQuote, verifiedStatement } from './statements.rules.ts';

/** Marks a statement as a sentence of the customer. */
const EXTRACTIVE = 'extractive-1';
const PURPOSE = 'insights';
const MAX_ANSWER_TOKENS = 2_000;
const MAX_READS = 3;

type SaidMessage = Awaited<ReturnType<typeof listSaidMessages>>[number];

export interface Extracting {
  signal: AbortSignal;
  /** Whether an unavailable model is given up. */
  isLastTry: boolean;
}

interface Extracted {
  madeBy: string;
  statements: Statement[];
}

/**
 * Stores the statements of a session's customer, in the words of the org's model, or of the customer if no model is
 * connected or allowed. A message redacted, deleted or edited meanwhile makes it read again. Idempotent: a second run
 * returns the stored ones.
 */
export async function extractStatements(
  deps: ModelDeps,
  { orgId, sessionId, number }: ExtractionInput,
  extracting: Extracting,
): Promise<ExtractionResult> {
  const { db } = deps;
  const extraction = await findExtraction(db, orgId, sessionId, number);
  if (extraction !== undefined) return { madeBy: extraction.made_by, statements: extraction.statements };
  for (let read = 1; ; read++) {
    const said = await listSaidMessages(db, orgId, sessionId);
    const extracted = (await askForStatements(deps, { orgId, sessionId, said }, extracting)) ?? byQuote(said);
    const isStored = await store(db, { orgId, sessionId, number }, said, extracted);
    if (isStored) return { madeBy: extracted.madeBy, statements: extracted.statements.length };
    if (read === MAX_READS) throw new Error('Messages of the session were changed again and again');
  }
}

const customerMessagesOf = (said: readonly SaidMessage[]): CustomerMessage[] =>
  said.filter(({ sender }) => sender === 'contact');

function byQuote(said: readonly SaidMessage[]): Extracted {
  const statement = statementByQuote(customerMessagesOf(said));
  return { madeBy: EXTRACTIVE, statements: statement === undefined ? [] : [statement] };
}

/**
 * Asks the org's models, or returns undefined if none is connected or allowed. Throws errors that a later try may
 * overcome.
 */
async function askForStatements(
  deps: ModelDeps,
  { orgId, sessionId, said }: { orgId: string; sessionId: string; said: SaidMessage[] },
  { signal, isLastTry }: Extracting,
): Promise<Extracted | undefined> {
  const messages = customerMessagesOf(said);
  const { mode, models, budgets, prices } = await getPublishedAiSettings(deps.db, orgId);
  const chain = mode === 'extractive' ? undefined : await findModels(deps, orgId, models);
  if (chain === undefined || messages.length === 0) return undefined;
  const conversation = said.map(({ sender, text }) => ({ isCustomer: sender === 'contact', text }));
  const question = {
    ...{ sessionId, turnId: null, purpose: PURPOSE, temperature: 0, maxTokens: MAX_ANSWER_TOKENS },
    messages: extractionPrompt(conversation),
    schema: EXTRACTION_SCHEMA,
    read: ({ text }: { text: string }) => statementsOf(text, messages),
  };
  const result = await askModel(deps, orgId, chain, { budgets, prices }, question, signal);
  if (result.kind === 'answered') return { madeBy: result.model, statements: result.value };
  if (result.kind === 'down' && result.error.transient && !isLastTry) throw result.error;
  return undefined;
}

/** Returns an answer's statements with quotes written by the customer, or undefined if it cannot be used. */
function statementsOf(text: string, messages: CustomerMessage[]): Statement[] | undefined {
  const claimed = ExtractionAnswer.safeParse(parseAnswer(text)).data?.statements;
  if (claimed === undefined) return undefined;
  const verified = claimed.map((one) => verifiedStatement(one, messages)).filter((one) => one !== undefined);
  return claimed.length > 0 && verified.length === 0 ? undefined : verified.slice(0, MAX_STATEMENTS);
}

/** Stores statements unless a message was redacted, deleted or edited since they were made. The same quote makes the same statement. */
function store(
  db: Db,
  { orgId, sessionId, number }: ExtractionInput,
  read: SaidMessage[],
  { madeBy, statements }: Extracted,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockSession(trx, orgId, sessionId);
    const left = new Map((await listSaidMessages(trx, orgId, sessionId)).map(({ id, text }) => [id, text]));
    if (read.some(({ id, text }) => left.get(id) !== text)) return false;
    const made = new Map(
      statements.map((one) => {
        const id = idOf('insight statement', orgId, sessionId, one.messageId, one.quote);
        return [id, { ...one, id }];
      }),
    );
    await insertExtraction(trx, orgId, { sessionId, number, madeBy, statements: [...made.values()] });
    return true;
  });
}
