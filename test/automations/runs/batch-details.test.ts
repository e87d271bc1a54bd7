import {
  contentOfBatch,
  detailsOfBatch,
  type NamedRun,
  summaryOfBatch,
} from '../../../src/automations/runs/batches/details.rules.ts';

const run = (id: string, workflow = 'a', name = 'Orders'): NamedRun => ({ id, workflowId: workflow, name });
const batch = { orgId: 'org', batchId: 'batch', runs: 3 };
const end = { ended: 2, left: 1, queued: 0 };

it('the content of a batch has the smallest and the greatest id of its runs, and the workflows with the most runs first', () => {
  const content = contentOfBatch([run('2'), run('1', 'b', 'Returns'), run('3', 'b', 'Returns')]);
  expect(content).toEqual({
    first: '1',
    last: '3',
    workflows: [
      { id: 'b', name: 'Returns', runs: 2 },
      { id: 'a', name: 'Orders', runs: 1 },
    ],
    others: 0,
  });
  expect(summaryOfBatch(3, content)).toBe('3 runs of 2 workflows');
});

it('the content of a batch with runs of many workflows names some of them and counts the others', () => {
  const [one, ...more] = Array.from({ length: 500 }, (_, n) => run(String(n).padStart(3, '0'), `w${n}`));
  const content = contentOfBatch([one ?? run('0'), ...more]);
  expect(content).toMatchObject({ first: '000', last: '499', others: 480 });
  expect(content.workflows).toHaveLength(20);
  expect(detailsOfBatch({ ...batch, content })).toContain('and 480 more workflows');
  expect(summaryOfBatch(500, content)).toBe('500 runs of 500 workflows');
});

it('a long name is cut between characters', () => {
  const name = `${'x'.repeat(99)}😀`;
  expect(contentOfBatch([run('1', 'a', name)]).workflows[0]?.name).toBe(`${'x'.repeat(99)}\ufffd`);
});

it('the details name the org, the runs, the workflows, and at the end the results and the failed runs', () => {
  const content = contentOfBatch([run('1'), run('2'), run('3')]);
  expect(detailsOfBatch({ ...batch, content }, { ...end, failed: ['2'] }).split('\n\n')).toEqual([
    '3 runs of the org org, from 1 to 3',
    'Orders (a): 3 runs',
    '2 have ended, 1 continue in separate workflows, 0 wait for another batch',
    '1 of those that have ended have failed: workflow-run/2',
  ]);
  expect(summaryOfBatch(3, content)).toBe('3 runs of Orders');
});

it('the details of a batch in which no run has failed do not mention failures', () => {
  const content = contentOfBatch([run('1'), run('2'), run('3')]);
  expect(detailsOfBatch({ ...batch, content }, { ...end, failed: [] }).split('\n\n')).toEqual([
    '3 runs of the org org, from 1 to 3',
    'Orders (a): 3 runs',
    '2 have ended, 1 continue in separate workflows, 0 wait for another batch',
  ]);
});
