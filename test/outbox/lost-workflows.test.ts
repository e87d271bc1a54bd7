import { SUBJECTS } from '../../src/repair/subjects.ts';
import * as workflows from '../../workflows/index.ts';

/** The workflows that no kind of the repair starts again, each with what brings its work back or why none is lost. */
const OTHERS: Record<string, string> = {
  calibrateAnswers: 'orgs to calibrate are in their table: the maintenance requests those of the day and after changes',
  listMcpTools: 'servers are in their table: the maintenance requests their lists daily',
  learnTags: 'orgs to learn from are in their table: the maintenance requests it daily',
  reviewInsights: 'weeks to review are in their table: the maintenance requests those that are missing',
  sendWebhooks: 'deliveries are in their tables: the maintenance wakes those that stall',
  deliverWebhook: 'deliveries are in their tables: the maintenance wakes those that stall',
  summarizeSession: 'a convenience: the session has the summary of its own sentences, and the next occasion asks again',
  sendLoginLink: 'whoever asked for a link and gets none asks again',
  suggestTags: 'a convenience: the tags are suggested again when the session is resolved the next time',
};

describe('every type of workflow', () => {
  const restarted = new Set(SUBJECTS.flatMap(({ starts }) => starts));

  it.each(Object.keys(workflows))('%s is started again from a row, or says why it need not be', (type) => {
    expect([type, restarted.has(type) !== type in OTHERS]).toEqual([type, true]);
  });

  it('is a workflow that exists', () => {
    const unknown = [...restarted, ...Object.keys(OTHERS)].filter((type) => !(type in workflows));
    expect(unknown).toEqual([]);
  });
});
