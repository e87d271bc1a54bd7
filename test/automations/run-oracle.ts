import type { Json, Step } from '../../src/automations/blocks/schema.ts';

export interface RecordedStep {
  path: string;
  status: string;
  output: Json;
}

export interface ExpectedRun {
  status: 'completed' | 'failed';
  /** The id of the step that failed the run. */
  failedStep: string | undefined;
  /** The outcome of each step that ran, by path. */
  steps: Record<string, string>;
}

interface Stop {
  failedStep: string;
}

/**
 * Tells how a run ends where there is one session, which takes notes and has no ticket, and webhooks arrive. It walks
 * the definition by itself and takes from the record only which branch a condition chose and how many items a loop had.
 */
export function expectedRun(
  definition: readonly Step[],
  recorded: readonly RecordedStep[],
  sessionId: string,
): ExpectedRun {
  const outputs = new Map(recorded.map(({ path, output }) => [path, output as Record<string, Json> | null]));
  const steps: Record<string, string> = {};

  const walk = (list: readonly Step[], prefix: string): Stop | undefined => {
    for (const [index, step] of list.entries()) {
      const path = `${prefix}${index}`;
      const stop = step.$kind === 'Action' ? act(step, path) : pass(step, path);
      if (stop !== undefined) return stop;
    }
    return undefined;
  };
  const end = (id: string, path: string, status: string): Stop | undefined => {
    steps[path] = status;
    return status === 'failed' ? { failedStep: id } : undefined;
  };
  const act = (step: Extract<Step, { $kind: 'Action' }>, path: string): Stop | undefined => {
    const isDone = step.type === 'send-webhook' || (step.type === 'add-note' && step.input.session_id === sessionId);
    const stop = end(step.id, path, isDone ? 'completed' : 'failed');
    return step.on_error === 'continue' ? undefined : stop;
  };
  const pass = (step: Extract<Step, { $kind: 'Block' }>, path: string): Stop | undefined => {
    const output = outputs.get(path);
    end(step.id, path, 'completed');
    switch (step.type) {
      case 'if-else': {
        const name = output?.result === true ? 'then' : 'else';
        return walk(step.branches[name] ?? [], `${path}.${name}.`);
      }
      case 'switch': {
        const nth = output?.case;
        if (typeof nth !== 'number') return walk(step.branches.default ?? [], `${path}.default.`);
        return walk(step.branches.cases[nth]?.steps ?? [], `${path}.case.${nth}.`);
      }
      case 'for-each': {
        const { items } = step.inputs;
        const count = Array.isArray(items) ? items.length : output?.count;
        if (typeof count !== 'number') return end(step.id, path, 'failed');
        for (let nth = 0; nth < count; nth++) {
          const stop = walk(step.branches.do, `${path}.do.${nth}.`);
          if (stop !== undefined) return stop;
        }
        return undefined;
      }
      case 'wait':
      case 'wait-for-event':
        return undefined;
    }
  };

  const stop = walk(definition, '');
  return { status: stop === undefined ? 'completed' : 'failed', failedStep: stop?.failedStep, steps };
}
