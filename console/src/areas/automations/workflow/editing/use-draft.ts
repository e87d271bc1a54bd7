import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, dataOf, type Schemas } from '../../../../api/client';
import { say } from '../../../../app/undo';
import { useIntentKey } from '../../../../ui/intent-key';
import { isSame } from '../../../../ui/same';
import type { Block } from '../blocks';
import { findLatest } from './latest-version';
import { stepsWithText } from './step-texts';

type Workflow = Schemas['Workflow'];

/** A definition as it is being written. */
export interface Draft {
  name: string;
  description: string;
  trigger_type: Workflow['trigger_type'];
  trigger_configuration: unknown;
  trigger_constraints: unknown;
  blocks: Block[];
}

const NEW: Draft = {
  name: '',
  description: '',
  trigger_type: 'ticket-created',
  trigger_configuration: undefined,
  trigger_constraints: undefined,
  blocks: [],
};

const draftOf = (workflow: Workflow): Draft => ({
  name: workflow.name,
  description: workflow.description ?? '',
  trigger_type: workflow.trigger_type,
  trigger_configuration: workflow.trigger_configuration ?? undefined,
  trigger_constraints: workflow.trigger_constraints ?? undefined,
  blocks: workflow.workflow_blocks as Block[],
});

/** Returns what of a definition the API takes. */
export const definitionOf = ({ trigger_type, trigger_configuration, trigger_constraints, blocks }: Draft) => ({
  trigger_type,
  trigger_configuration: (trigger_configuration ?? null) as Workflow['trigger_configuration'],
  trigger_constraints: (trigger_constraints ?? null) as Workflow['trigger_constraints'],
  workflow_blocks: blocks as unknown as Record<string, unknown>[],
});

const bodyOf = (draft: Draft): Schemas['CreateWorkflow'] => ({
  ...definitionOf(draft),
  name: draft.name.trim(),
  description: draft.description.trim() || null,
});

/** Keeps what is changed of the latest version of a workflow, or of a new one. A save makes a new version. */
export function useDraft(latest: Workflow | undefined) {
  const client = useQueryClient();
  const { keyFor } = useIntentKey();
  const [written, write] = useState<Draft>();
  /** The version that the changes were made to. */
  const [base, setBase] = useState<number>();
  /** The last version that their author was told of: they are saved behind it. */
  const [seen, see] = useState<number>();
  const begin = (version: number | undefined) => {
    setBase(version);
    see(version);
  };
  const stored = latest === undefined ? NEW : draftOf(latest);
  const draft = written ?? stored;
  const change = (changes: Partial<Draft>) => {
    const next = { ...draft, ...changes };
    if (written === undefined) begin(latest?.version_number);
    const isAsStored = isSame(next, stored) && stepsWithText(next.blocks).length === 0;
    write(isAsStored && !save.isPending ? undefined : next);
  };
  const save = useMutation({
    mutationFn: async (sent: Draft): Promise<Workflow> => {
      const body = bodyOf(sent);
      if (latest === undefined) {
        const header = { 'idempotency-key': keyFor(JSON.stringify(body)) };
        return dataOf(api.POST('/workflows', { params: { header }, body }));
      }
      const params = { path: { id: latest.workflow_id }, header: { 'if-match': `${seen ?? latest.version_number}` } };
      return dataOf(api.PATCH('/workflows/{id}', { params, body })).catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
        const { number, by } = await findLatest(latest.workflow_id);
        see(number);
        void refreshWorkflow(client, latest.workflow_id);
        throw new Error(
          `Version ${number} was saved meanwhile${by === undefined ? '' : ` by ${by}`}. Look at it under Versions. If you save once more, yours comes after it.`,
          { cause: error },
        );
      });
    },
    onSuccess: async ({ workflow_id, version_number }, sent) => {
      begin(version_number);
      say(`Version ${version_number} is saved`);
      const settle = () => write((now) => (now === sent ? undefined : now)); // what was written meanwhile stays
      if (latest === undefined) settle(); // its page is left once this is rendered
      await refreshWorkflow(client, workflow_id);
      settle();
    },
  });
  /** The steps of which JSON is written and not taken. */
  const texts = stepsWithText(draft.blocks);
  const discard = () => {
    write(undefined);
    save.reset();
  };
  return {
    draft,
    base: written === undefined ? latest?.version_number : base,
    isWritten: written !== undefined,
    isChanged: written !== undefined && (texts.length > 0 || !isSame(bodyOf(written), bodyOf(stored))),
    texts,
    change,
    discard,
    save,
  };
}

/** Reads again what is shown of a workflow. */
export const refreshWorkflow = (client: ReturnType<typeof useQueryClient>, id: string) =>
  Promise.all(
    [['getWorkflow', id], ['listWorkflowVersions', id], ['listWorkflows']].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  );
