import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../src/db/connect.ts';
import { createEmbedder } from '../../../src/embedder/embedder.ts';
import { createSemanticSearch } from '../../../src/knowledge/embedding/semantic-search.ts';
import { isComparedByModel } from '../../../src/knowledge/embedding/service.ts';
import { featuresOf } from '../../../src/knowledge/search/closeness-features.rules.ts';
import { rateEvidence } from '../../../src/knowledge/search/evidence.service.ts';
import type { SemanticSearch } from '../../../src/knowledge/search/passage-search.service.ts';
import { ALLOW_ALL, createEgress, type HttpClient } from '../../../src/providers/egress/egress.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { type AiPrograms, startAiPrograms } from '../../support/ai-programs.ts';
import type { HelpCenter, Purpose } from '../../support/help-centers.ts';
import { note } from '../../support/report.ts';
import type { Stack } from '../../support/stack.ts';

const LONGEST_WAIT_MS = 60_000;
const POLL_MS = 100;

/** A passage that was compared with a question. */
export interface ComparedRow {
  center: string;
  purpose: Purpose;
  /** The passages of its center: each article is one. */
  passages: number;
  /** The number of its question. */
  question: number;
  /** Whether the question has other words than its article, or asks for a fact next to those of an article. */
  isHard: boolean;
  isAnswerable: boolean;
  isAnswer: boolean;
  features: (number | null)[];
}

/** Loads help centers into an installation and asks their questions. Returns the passages that they were compared with. */
export async function listComparedRows(stack: Stack, centers: HelpCenter[]): Promise<ComparedRow[]> {
  const programs = await startAiPrograms(stack, stack.db);
  const egress = createEgress({ allow: ALLOW_ALL });
  const embedder = createEmbedder({ warn: note });
  const calls = { observe: (requests: HttpClient) => requests };
  const secrets = createSecrets(stack.env.SECRET_KEYS ?? '');
  const semantics = createSemanticSearch({ egress, calls, embedder, secrets });
  const rows: ComparedRow[] = [];
  try {
    for (const center of centers) {
      const orgId = await openCenter(programs, stack.db, center);
      for (const question of center.questions)
        rows.push(...(await rowsOf(stack.db, semantics, { orgId, center, question, number: rows.length })));
      note(`${center.slug}: ${rows.length} passages so far`);
    }
  } finally {
    embedder.close();
    await egress.close();
  }
  return rows;
}

async function openCenter(programs: AiPrograms, db: Db, { name, slug, articles }: HelpCenter): Promise<string> {
  const org = await programs.newOrg();
  await org.call('PUT', '/help-center/content', { categories: [{ name, slug, articles }] });
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  while (!(await isComparedByModel(db, org.id))) {
    if (performance.now() > giveUpAt) throw new Error(`${slug} was not embedded within ${LONGEST_WAIT_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
  return org.id;
}

interface AskedCenter {
  orgId: string;
  center: HelpCenter;
  question: HelpCenter['questions'][number];
  number: number;
}

async function rowsOf(
  db: Db,
  semantics: SemanticSearch,
  { orgId, center, question, number }: AskedCenter,
): Promise<ComparedRow[]> {
  const evidence = await rateEvidence(db, semantics, orgId, { query: question.text });
  const compared = (evidence?.passages ?? []).flatMap(({ closeness, ...passage }) =>
    closeness === undefined ? [] : [{ passage, closeness }],
  );
  if (compared.length === 0) throw new Error(`“${question.text}” was not compared`);
  const slugs = new Map(center.articles.map(({ title, slug }) => [title, slug]));
  return featuresOf(compared).map((features, nth) => ({
    center: center.slug,
    purpose: center.purpose,
    passages: center.articles.length,
    question: number,
    isHard: question.hard === true,
    isAnswerable: question.right.length > 0,
    isAnswer: question.right.includes(slugs.get(compared[nth]?.passage.title ?? '') ?? ''),
    features,
  }));
}
